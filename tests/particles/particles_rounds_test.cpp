// The rule `exact` for few discs in rounds (model/exact_rounds.h): bit-identical to the sequential queue on both
// backends, also where it stops and the other method takes over.
#include <vector>

#include <gtest/gtest.h>

#include "cuda/particles/particles.h"
#include "cuda/particles/verify/event_reference.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb::particles {
namespace {

class ParticlesRounds : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesRounds);

std::unique_ptr<Simulation> in_rounds(Backend& backend, const DiscParameters& parameters) {
  auto run = particles_simulation().create(backend, exact_setup(parameters));
  particles_use_rounds_everywhere(*run);
  return run;
}

struct RoundsCase {
  const char* name;
  DiscParameters parameters;
  int steps;
};

std::vector<RoundsCase> rounds_cases() {
  return {
      {"Thin", {{"count", 500}, {"box", 100}, {"velocity_max", 1}}, 12},
      {"Dense", {{"count", 500}, {"box", 51}, {"velocity_max", 1.5}}, 5},
      {"ManyCollisionsAStep", {{"count", 300}, {"box", 40}, {"velocity_max", 8}}, 2},
      {"Fast", {{"count", 500}, {"box", 1000}, {"velocity_max", 250}}, 2},
      {"HeavyDisc", {{"count", 500}, {"box", 110}, {"velocity_max", 1}, {"heavy_radius", 9}, {"heavy_mass", 60}}, 8},
      {"TwoKinds",
       {{"count", 300}, {"box", 60}, {"velocity_max", 1}, {"second_share", 0.3}, {"second_radius", 1.4}},
       20},
      {"Rack", {{"count", 56}, {"box", 100}, {"arrangement", 2}, {"velocity_max", 3}}, 24},  // ties: it must stop
      {"Pair", {{"count", 2}, {"box", 6}, {"velocity_max", 2}}, 20},
      {"Single", {{"count", 1}, {"box", 10}, {"velocity_max", 4}}, 20},
  };
}

template <class Real>
void compare_rounds(Backend& backend, const RoundsCase& c, const char* kernel) {
  const auto run = in_rounds(backend, c.parameters);
  run->select_kernel(kernel);
  const double slow = run->parameters().get("slow_factor");
  EventReference<Real> reference(run->save(), run->domain_width(), run->domain_height(),
                                 run->parameters().get("radius"), slow);
  // Several steps at once and one alone: both kinds of launches.
  for (int done = 0; done < c.steps; ++done) {
    const int count = done % 3 == 0 ? 1 : 3;
    run->step(count);
    for (int k = 0; k < count; ++k) reference.step();
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after step " << run->steps();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(ParticlesRounds, MatchTheSequentialQueueBitForBit) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same loops");
  for (const RoundsCase& c : rounds_cases()) {
    SCOPED_TRACE(c.name);
    compare_rounds<double>(backend(), c, "grid");
    RoundsCase single = c;
    single.parameters["precision"] = 0;
    single.steps = std::min(c.steps, 8);
    compare_rounds<float>(backend(), single, "grid");
  }
  compare_rounds<double>(backend(), {"", {{"count", 200}, {"box", 40}, {"velocity_max", 1}}, 4}, "all-pairs");
}

// In a wide box neighbours may be far apart, and a crowd in it has more of them than a list holds.
TEST_P(ParticlesRounds, LeaveACrowdToTheOtherMethod) {
  const auto run = in_rounds(backend(), {{"count", 300}, {"box", 400}, {"velocity_max", 8}});
  run->step(1);
  run->apply({"add", {{"x", 0.5}, {"y", 0.5}, {"radius", 40}, {"discs", 1000}, {"speed", 20}}, "", nullptr});
  const double slow = run->parameters().get("slow_factor");
  EventReference<double> reference(run->save(), run->domain_width(), run->domain_height(),
                                   run->parameters().get("radius"), slow);
  for (int k = 0; k < reach(3, 1); ++k) {
    run->step(1);
    reference.step();
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after step " << run->steps();
  }
}

// A piston moves in each of several steps of one launch.
TEST_P(ParticlesRounds, MoveThePistonInEveryStep) {
  const DiscParameters piston{
      {"count", 200}, {"box", 60}, {"velocity_max", 1}, {"piston_speed", 0.5}, {"piston_end", 0.5}};
  const auto at_once = in_rounds(backend(), piston), alone = in_rounds(backend(), piston);
  const int steps = reach(100, 12);
  at_once->step(steps);
  for (int k = 0; k < steps; ++k) alone->step(1);
  EXPECT_EQ(at_once->steps(), alone->steps());
  for (const char* name : {"position", "velocity"})
    EXPECT_EQ(at_once->save().get<double>(name, {200, 2}), alone->save().get<double>(name, {200, 2})) << name;
}

// Trails are recorded after each step, so that launches take no more steps than between two positions.
TEST_P(ParticlesRounds, KeepTrailsAndSaveTheSameState) {
  DiscParameters gas{{"count", 150}, {"box", 40}, {"velocity_max", 1}};
  const auto plain = in_rounds(backend(), gas);
  gas["trail"] = 8;
  gas["trail_every"] = 3;
  const auto trails = in_rounds(backend(), gas);
  plain->step(25);
  trails->step(25);
  EXPECT_EQ(plain->save().get<double>("position", {150, 2}), trails->save().get<double>("position", {150, 2}));
}

}  // namespace
}  // namespace perturb::particles
