// Bits: the parallel step against the sequential rule over all pairs.

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"
#include "tests/particles/particles_reference.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::particles {
namespace {

class ParticlesExact : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesExact);

template <class Real>
void compare(Backend& backend, const DiscCase& c, int steps, const char* kernel) {
  SCOPED_TRACE(c.name);
  const auto run = particles_simulation().create(backend, disc_setup(c.parameters, c.actions));
  run->select_kernel(kernel);
  const auto parameter = [&](const char* id) { return run->parameters().get(id); };
  const double slow = parameter("slow_factor");
  ReferenceDiscs<Real> reference(run->save(), run->domain_width(), run->domain_height(), parameter("radius"), slow);
  double collided = 0;
  for (int done = 0; done < steps;) {
    const int some = std::min(7, steps - done);
    run->step(some);
    for (int k = 0; k < some; ++k) {
      reference.step();
      collided += reference.collided;
    }
    done += some;
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after " << done << " steps";
  }
  const double share = collided / steps / static_cast<double>(reference.discs.size());
  EXPECT_GE(share, c.colliding);
}

TEST_P(ParticlesExact, GridGivesTheBitsOfTheSequentialRule) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const DiscCase& c : disc_cases(&DiscCase::steps)) compare<double>(backend(), c, c.steps, "grid");
}

TEST_P(ParticlesExact, AllPairsGivesTheBitsOfTheSequentialRule) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const DiscCase& c : disc_cases(&DiscCase::steps))
    compare<double>(backend(), c, std::min(c.steps, 21), "all-pairs");
}

TEST_P(ParticlesExact, AllPairsInOtherLaunchesToo) {
  if (!backend().is_cuda()) return;  // launches are CUDA's
  for (const DiscCase& c : disc_cases(&DiscCase::steps))
    for (const char* kernel : {"all-pairs-96", "all-pairs-256", "all-pairs-l1", "all-pairs-rows"})
      compare<double>(backend(), c, std::min(c.steps, 7), kernel);
}

// Its margins are derived for both precisions; with these densities no grazing pair has fallen between them.
TEST_P(ParticlesExact, SinglePrecisionToo) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (DiscCase c : disc_cases(&DiscCase::steps)) {
    c.parameters["precision"] = 0;
    compare<float>(backend(), c, std::min(c.steps, 42), "grid");
  }
}

TEST(ParticlesThreads, AnyNumberIsBitIdentical) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const char* name : {"Dense", "FastAndCrowded", "HeavyDisc"}) {
    SCOPED_TRACE(name);
    expect_same_with_several_threads(disc_setup(disc_case(name).parameters), 80);
  }
}

TEST_P(ParticlesExact, TiesAreBrokenByIds) {
  compare_placed(backend(), {{"box", 122}}, discs_that_meet_in_fours(30), 40, &ReferenceDiscs<double>::collided);
}

TEST_P(ParticlesExact, AllDiscsCollideWithAll) {
  compare_placed(backend(), {{"box", 130}}, ring_of_discs(150, 1), 12, &ReferenceDiscs<double>::collided);
}

// Contraction must change something, or the study of divergence would study nothing.
TEST_P(ParticlesExact, ContractionIsAVariantOfItsOwn) {
  const double tenth = 0.1;
  if (!backend().is_cuda() && multiply_add(tenth, 10.0, -1.0) == tenth * 10.0 - 1.0)
    GTEST_SKIP() << "This build's processor has no fused multiply-add.";
  DiscParameters parameters = disc_case("Dense").parameters;
  const auto plain = particles_simulation().create(backend(), disc_setup(parameters));
  parameters["contraction"] = 1;
  const auto fused = particles_simulation().create(backend(), disc_setup(parameters));
  EXPECT_TRUE(plain->save().datasets.at("position").bytes == fused->save().datasets.at("position").bytes);
  plain->step(50);
  fused->step(50);
  EXPECT_FALSE(plain->save().datasets.at("position").bytes == fused->save().datasets.at("position").bytes);
}

}  // namespace
}  // namespace perturb::particles
