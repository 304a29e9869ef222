// The rule `exact`: the parallel step against one sequential queue of events, bit for bit, and its conservation laws
// and limits.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/verify/event_reference.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb::particles {
namespace {

class ParticlesAllCollisions : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesAllCollisions);

Setup scene(std::map<std::string, double> parameters, std::vector<Action> actions = {}) {
  Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = std::move(parameters);
  setup.parameters["collisions"] = 1;
  setup.actions = std::move(actions);
  return setup;
}

struct Case {
  const char* name;
  std::map<std::string, double> parameters;
  int steps;
  std::vector<Action> actions = {};
};

std::vector<Case> cases() {
  const Action fast{"throw", {{"x", 0.1}, {"y", 0.1}, {"vx", 90}, {"vy", 70}}, "", nullptr};
  const Action small{
      "add",
      {{"x", 0.5}, {"y", 0.5}, {"radius", 50}, {"discs", 200}, {"disc_radius", 0.7}, {"disc_mass", 0.4}, {"speed", 2}},
      "",
      nullptr};
  return {
      {"Thin", {{"count", 1000}, {"box", 150}, {"velocity_max", 1}}, 60},
      {"Dense", {{"count", 1000}, {"box", 72}, {"velocity_max", 1.5}}, 20},
      {"VeryDense", {{"count", 900}, {"box", 64}, {"velocity_max", 0.5}}, 20},
      {"ManyCollisionsAStep", {{"count", 400}, {"box", 46}, {"velocity_max", 8}}, 5},
      {"Report", {{"count", 1000}}, 20},
      {"FastAndCrowded", {{"count", 700}, {"box", 1000}, {"velocity_max", 250}}, 6},
      {"SlowFactor", {{"count", 1000}, {"box", 72}, {"velocity_max", 1.5}, {"slow_factor", 8}}, 60},
      {"FlatBox", {{"count", 500}, {"box", 300}, {"aspect", 0.1}, {"velocity_max", 2}}, 30},
      {"HeavyDisc", {{"count", 600}, {"box", 120}, {"velocity_max", 1}, {"heavy_radius", 9}, {"heavy_mass", 60}}, 40},
      {"Rack", {{"count", 56}, {"box", 100}, {"arrangement", 2}, {"velocity_max", 3}}, 60},
      {"Single", {{"count", 1}, {"box", 10}, {"velocity_max", 4}}, 60},
      {"Pair", {{"count", 2}, {"box", 6}, {"velocity_max", 2}}, 60},
      {"TinyBox", {{"count", 4}, {"box", 5.5}, {"velocity_max", 30}}, 20},
      {"AtRest", {{"count", 100}, {"box", 60}, {"velocity_max", 0}}, 5},
      {"OneIsFast", {{"count", 800}, {"box", 140}, {"velocity_max", 0.3}}, 20, {fast}},
      {"UnequalDiscs", {{"count", 400}, {"box", 120}, {"velocity_max", 1}}, 30, {small}},
  };
}

template <class Real>
void compare(Backend& backend, const Setup& setup, int steps, const char* kernel, double closest = 0) {
  const auto run = particles_simulation().create(backend, setup);
  run->select_kernel(kernel);
  const double slow = run->parameters().get("slow_factor");
  EventReference<Real> reference(run->save(), run->domain_width(), run->domain_height(),
                                 run->parameters().get("radius"), slow);
  for (int done = 0; done < reach(steps, (steps + 9) / 10); ++done) {
    run->step(1), reference.step();
    ASSERT_EQ(reference.differences(run->save(), slow), 0) << "after " << done + 1 << " steps";
    if (done % 5 == 4 || done + 1 == steps) {
      ASSERT_GE(reference.least_distance(), closest);
    }
  }
}

TEST_P(ParticlesAllCollisions, MatchesSingleQueueBitForBitWithoutOverlaps) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    compare<double>(backend(), scene(c.parameters, c.actions), c.steps, "grid",
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
  for (Case c : cases()) {
    SCOPED_TRACE(c.name);
    c.parameters["precision"] = 0;
    compare<float>(backend(), scene(c.parameters, c.actions), std::min(c.steps, 10), "grid");
  }
}

TEST_P(ParticlesAllCollisions, AllPairsToo) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const int k : {0, 1, 5, 8}) {
    const Case c = cases()[static_cast<std::size_t>(k)];
    SCOPED_TRACE(c.name);
    compare<double>(backend(), scene(c.parameters), std::min(c.steps, 4), "all-pairs");
  }
}

// Discs put where a test wants them.
std::unique_ptr<Simulation> placed(Backend& backend, double box, const std::vector<Disc<double>>& discs) {
  auto run = particles_simulation().create(
      backend, scene({{"count", static_cast<double>(discs.size())}, {"box", box}, {"arrangement", 3}}));
  State state = run->save();
  std::vector<double> position, velocity;
  for (const Disc<double>& d : discs) {
    position.insert(position.end(), {d.x, d.y});
    velocity.insert(velocity.end(), {d.vx, d.vy});
  }
  state.put<double>("position", {discs.size(), 2}, "length", position);
  state.put<double>("velocity", {discs.size(), 2}, "length/time", velocity);
  run->load(state);
  return run;
}

void compare_placed(Backend& backend, double box, const std::vector<Disc<double>>& discs, int steps) {
  const auto run = placed(backend, box, discs);
  EventReference<double> reference(run->save(), box, box, 1, 1);
  int events = 0;
  for (int done = 0; done < steps; ++done) {
    run->step(1), reference.step(), events += reference.events;
    ASSERT_EQ(reference.differences(run->save(), 1), 0) << "after " << done + 1 << " steps";
  }
  EXPECT_GT(events, static_cast<int>(discs.size()) / 2);
}

// Four at a time meet in the middle between them, everywhere at the very same time.
TEST_P(ParticlesAllCollisions, TiesAreBrokenByIds) {
  std::vector<Disc<double>> discs;
  for (int j = 0; j < 20; ++j)
    for (int i = 0; i < 20; ++i) discs.push_back({3.0 + 4 * i, 3.0 + 4 * j, i % 2 ? -1.5 : 1.5, j % 2 ? -1.5 : 1.5});
  for (std::size_t k = 0; k < discs.size(); ++k) std::swap(discs[k], discs[(k * 377) % discs.size()]);
  compare_placed(backend(), 82, discs, 12);
}

// Rows of discs that touch, each hit at one end: the push is through all of them at one moment.
TEST_P(ParticlesAllCollisions, PushesRunThroughRowsThatTouch) {
  std::vector<Disc<double>> discs;
  for (int row = 0; row < 12; ++row) {
    for (int k = 0; k < 30; ++k) discs.push_back({20.0 + 2 * k, 5.0 + 6 * row, 0, 0});
    discs.push_back({3.5, 5.0 + 6 * row, 4, 0});
  }
  for (std::size_t k = 0; k < discs.size(); ++k) std::swap(discs[k], discs[(k * 131) % discs.size()]);
  compare_placed(backend(), 90, discs, 10);
}

// A ring that rushes to its centre, which all reach at one moment.
TEST_P(ParticlesAllCollisions, AllDiscsCollideWithAll) {
  std::vector<Disc<double>> discs;
  for (int k = 0; k < 90; ++k) {
    const double angle = 2 * std::numbers::pi * k / 90, x = 60 * std::cos(angle), y = 60 * std::sin(angle);
    discs.push_back({65 + x, 65 + y, -0.9 * x, -0.9 * y});
  }
  compare_placed(backend(), 130, discs, 4);
}

TEST(ParticlesAllCollisionsThreads, AnyNumberIsBitIdentical) {
  SKIP_UNDER_SANITIZERS("compares results bit by bit; smaller tests run the same kernels");
  for (const int k : {1, 3, 8}) {
    const Case c = cases()[static_cast<std::size_t>(k)];
    SCOPED_TRACE(c.name);
    const auto one = Backend::make_cpu(1);
    const auto first = particles_simulation().create(*one, scene(c.parameters));
    first->step(40);
    const State expected = first->save();
    for (const int threads : {2, 3, 5}) {
      const auto several = Backend::make_cpu(threads);
      const auto run = particles_simulation().create(*several, scene(c.parameters));
      run->step(40);
      const State state = run->save();
      for (const auto& [name, data] : expected.datasets)
        EXPECT_TRUE(data.bytes == state.datasets.at(name).bytes) << name;
    }
  }
}

// The same path with steps of another length, except for rounding, which collisions amplify: a few of them for each
// disc.
TEST_P(ParticlesAllCollisions, ThePathDoesNotDependOnTheStep) {
  const auto after = [&](double slow, int steps) {
    const auto run = particles_simulation().create(
        backend(), scene({{"count", 500}, {"box", 80}, {"velocity_max", 1}, {"slow_factor", slow}}));
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
