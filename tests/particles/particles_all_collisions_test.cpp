// The rule `exact`: the parallel step against one sequential queue of events, bit for bit, and its conservation laws
// and limits.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/verify/event_reference.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb::particles {
namespace {

class ParticlesAllCollisions : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesAllCollisions);

template <class Real>
void compare(Backend& backend, const Setup& setup, int steps, const char* kernel, double closest = 0) {
  const auto run = particles_simulation().create(backend, setup);
  run->select_kernel(kernel);
  const double slow = run->parameters().get("slow_factor");
  EventReference<Real> reference(run->save(), run->domain_width(), run->domain_height(),
                                 run->parameters().get("radius"), slow);
  for (int done = 0; done < reach(steps, (steps + 9) / 10); ++done) {
    run->step(1);
    reference.step();
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after " << done + 1 << " steps";
    if (done % 5 == 4 || done + 1 == steps) {
      ASSERT_GE(reference.min_distance(), closest);
    }
  }
}

TEST_P(ParticlesAllCollisions, MatchesSingleQueueBitForBitWithoutOverlaps) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const DiscCase& c : disc_cases(&DiscCase::exact_steps)) {
    SCOPED_TRACE(c.name);
    compare<double>(backend(), exact_setup(c.parameters, c.actions), c.exact_steps, "grid",
                    c.parameters.count("box") ? 1 - 5e-10 : 0);
  }
}

TEST_P(ParticlesAllCollisions, VerifysRowsOfTheQueuePass) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const TheoryCheck& check : check_queue(backend()))
    EXPECT_TRUE(check.pass()) << check.name << ": " << check.got << " discs differ; " << check.note;
}

TEST_P(ParticlesAllCollisions, SinglePrecisionToo) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (DiscCase c : disc_cases(&DiscCase::exact_steps)) {
    SCOPED_TRACE(c.name);
    c.parameters["precision"] = 0;
    compare<float>(backend(), exact_setup(c.parameters, c.actions), std::min(c.exact_steps, 10), "grid");
  }
}

TEST_P(ParticlesAllCollisions, AllPairsToo) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const char* name : {"Thin", "Dense", "FastAndCrowded", "HeavyDisc"}) {
    const DiscCase& c = disc_case(name);
    SCOPED_TRACE(c.name);
    compare<double>(backend(), exact_setup(c.parameters), std::min(c.exact_steps, 4), "all-pairs");
  }
}

TEST_P(ParticlesAllCollisions, TiesAreBrokenByIds) {
  compare_placed(backend(), {{"box", 82}, {"collisions", 1}}, discs_that_meet_in_fours(20), 12,
                 &EventReference<double>::events);
}

// Rows of discs that touch, each hit at one end: the push is through all of them at one moment.
TEST_P(ParticlesAllCollisions, PushesRunThroughRowsThatTouch) {
  std::vector<Disc<double>> discs;
  for (int row = 0; row < 12; ++row) {
    for (int k = 0; k < 30; ++k) discs.push_back({20.0 + 2 * k, 5.0 + 6 * row, 0, 0});
    discs.push_back({3.5, 5.0 + 6 * row, 4, 0});
  }
  for (std::size_t k = 0; k < discs.size(); ++k) std::swap(discs[k], discs[(k * 131) % discs.size()]);
  compare_placed(backend(), {{"box", 90}, {"collisions", 1}}, discs, 10, &EventReference<double>::events);
}

TEST_P(ParticlesAllCollisions, AllDiscsCollideWithAll) {
  compare_placed(backend(), {{"box", 130}, {"collisions", 1}}, ring_of_discs(90, 0.9), 4,
                 &EventReference<double>::events);
}

TEST(ParticlesAllCollisionsThreads, AnyNumberIsBitIdentical) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const char* name : {"Dense", "ManyCollisionsAStep", "HeavyDisc"}) {
    SCOPED_TRACE(name);
    expect_same_with_several_threads(exact_setup(disc_case(name).parameters), 40);
  }
}

// The same path with steps of another length, except for rounding, which collisions amplify: a few of them for each
// disc.
TEST_P(ParticlesAllCollisions, ThePathDoesNotDependOnTheStep) {
  const auto after = [&](double slow, int steps) {
    const auto run = particles_simulation().create(
        backend(), exact_setup({{"count", 500}, {"box", 80}, {"velocity_max", 1}, {"slow_factor", slow}}));
    run->step(steps);
    return run->save();
  };
  const State coarse = after(1, 4), fine = after(64, 256);
  const auto a = coarse.get<double>("position", {500, 2}), b = fine.get<double>("position", {500, 2});
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  EXPECT_LT(most, 1e-9);
  EXPECT_EQ(coarse.get<std::uint32_t>("disc_collisions", {500}), fine.get<std::uint32_t>("disc_collisions", {500}));
}

}  // namespace
}  // namespace perturb::particles
