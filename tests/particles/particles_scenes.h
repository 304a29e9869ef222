// Scenes of discs for tests of both rules.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/particles/model/cell.h"
#include "cuda/particles/particles.h"
#include "tests/support/backends.h"

namespace perturb::particles {

using DiscParameters = std::map<std::string, double>;

inline perturb::Setup disc_setup(DiscParameters parameters, std::vector<Action> actions = {}) {
  perturb::Setup setup;
  setup.simulation = "particles";
  setup.seed = 3210;
  setup.parameters = std::move(parameters);
  setup.actions = std::move(actions);
  return setup;
}

// By the rule `exact`, unless the parameters say otherwise.
inline perturb::Setup exact_setup(DiscParameters parameters, std::vector<Action> actions = {}) {
  parameters.try_emplace("collisions", 1);
  return disc_setup(std::move(parameters), std::move(actions));
}

class DiscsOnEachBackend : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(DiscParameters parameters) {
    return particles_simulation().create(backend(), disc_setup(std::move(parameters)));
  }
};

class ExactDiscsOnEachBackend : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(DiscParameters parameters) {
    return particles_simulation().create(backend(), exact_setup(std::move(parameters)));
  }
};

struct DiscCase {
  const char* name;
  DiscParameters parameters;
  int steps, exact_steps;  // by the rule of one collision per step, and by the rule `exact`; 0: not by this rule
  double colliding = 0;    // more than this share of all discs collides in a step, on average
  std::vector<Action> actions = {};
};

inline std::vector<DiscCase> all_disc_cases() {
  const Action fast{"throw", {{"x", 0.1}, {"y", 0.1}, {"vx", 90}, {"vy", 70}}, "", nullptr};
  const Action small{
      "add",
      {{"x", 0.5}, {"y", 0.5}, {"radius", 50}, {"discs", 200}, {"disc_radius", 0.7}, {"disc_mass", 0.4}, {"speed", 2}},
      "",
      nullptr};
  const Action large{
      "add",
      {{"x", 0.3}, {"y", 0.5}, {"radius", 30}, {"discs", 10}, {"disc_radius", 1.2}, {"disc_mass", 2}, {"speed", 1}},
      "",
      nullptr};
  return {
      // The method's own demands: N = 1000 over 1000 steps, and more than a third of all discs in every step.
      {"Thin", {{"count", 1000}, {"box", 150}, {"velocity_max", 1}}, 1000, 60},
      {"Dense", {{"count", 1000}, {"box", 72}, {"velocity_max", 1.5}}, 150, 20, 0.34},
      {"VeryDense", {{"count", 900}, {"box", 64}, {"velocity_max", 0.5}}, 100, 20},
      {"ManyCollisionsAStep", {{"count", 400}, {"box", 46}, {"velocity_max", 8}}, 0, 5},
      {"Report", {{"count", 1000}}, 100, 20},
      {"FastAndCrowded", {{"count", 700}, {"box", 1000}, {"velocity_max", 250}}, 100, 6},
      {"PathsOfTenRadii", {{"count", 800}, {"box", 200}, {"velocity_max", 10}}, 100, 0},
      {"SlowFactor", {{"count", 1000}, {"box", 72}, {"velocity_max", 1.5}, {"slow_factor", 8}}, 100, 60},
      {"FlatBox", {{"count", 500}, {"box", 300}, {"aspect", 0.1}, {"velocity_max", 2}}, 100, 30},
      {"HeavyDisc",
       {{"count", 600}, {"box", 120}, {"velocity_max", 1}, {"heavy_radius", 9}, {"heavy_mass", 60}},
       150,
       40},
      {"Rack", {{"count", 56}, {"box", 100}, {"arrangement", 2}, {"velocity_max", 3}}, 200, 60},
      {"Single", {{"count", 1}, {"box", 10}, {"velocity_max", 4}}, 200, 60},
      {"Pair", {{"count", 2}, {"box", 6}, {"velocity_max", 2}}, 200, 60},
      {"TinyBox", {{"count", 4}, {"box", 5.5}, {"velocity_max", 30}}, 100, 20},
      {"AtRest", {{"count", 100}, {"box", 60}, {"velocity_max", 0}}, 20, 5},
      {"OneIsFast", {{"count", 800}, {"box", 140}, {"velocity_max", 0.3}}, 60, 20, 0, {fast}},
      {"SmallDiscs", {{"count", 400}, {"box", 120}, {"velocity_max", 1}}, 0, 30, 0, {small}},
      {"UnequalDiscs", {{"count", 400}, {"box", 120}, {"velocity_max", 1}}, 100, 0, 0, {small, large}},
  };
}

// Those of the rule: &DiscCase::steps or &DiscCase::exact_steps.
inline std::vector<DiscCase> disc_cases(int DiscCase::*steps) {
  std::vector<DiscCase> scenes = all_disc_cases();
  std::erase_if(scenes, [&](const DiscCase& scene) { return scene.*steps == 0; });
  return scenes;
}

inline const DiscCase& disc_case(const std::string& name) {
  static const std::vector<DiscCase> scenes = all_disc_cases();
  for (const DiscCase& scene : scenes)
    if (name == scene.name) return scene;
  throw std::out_of_range(name);
}

// Four at a time meet in the middle between them, everywhere at the very same time: each disc has two candidates, and
// so have they. The ids do not go with the positions.
inline std::vector<Disc<double>> discs_that_meet_in_fours(int side) {
  std::vector<Disc<double>> discs;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) discs.push_back({3.0 + 4 * i, 3.0 + 4 * j, i % 2 ? -1.5 : 1.5, j % 2 ? -1.5 : 1.5});
  for (std::size_t k = 0; k < discs.size(); ++k) std::swap(discs[k], discs[(k * 377) % discs.size()]);
  return discs;
}

// A ring in a box of 130 that rushes to its centre: nearly every pair is a candidate, far more than a gas has.
inline std::vector<Disc<double>> ring_of_discs(int count, double speed) {
  std::vector<Disc<double>> discs;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * k / count, x = 60 * std::cos(angle), y = 60 * std::sin(angle);
    discs.push_back({65 + x, 65 + y, -speed * x, -speed * y});
  }
  return discs;
}

// Compares a run of these discs with a reference for some steps. `collided`: the reference's number of a step.
template <class Reference>
void compare_placed(Backend& backend, DiscParameters parameters, const std::vector<Disc<double>>& discs, int steps,
                    int Reference::*collided) {
  const double box = parameters.at("box");
  parameters["count"] = static_cast<double>(discs.size());
  parameters["arrangement"] = 3;
  const auto run = particles_simulation().create(backend, disc_setup(std::move(parameters)));
  State state = run->save();
  std::vector<double> position, velocity;
  for (const Disc<double>& d : discs) {
    position.insert(position.end(), {d.x, d.y});
    velocity.insert(velocity.end(), {d.vx, d.vy});
  }
  state.put<double>("position", {discs.size(), 2}, "length", position);
  state.put<double>("velocity", {discs.size(), 2}, "length/time", velocity);
  run->load(state);
  Reference reference(run->save(), box, box, 1, 1);
  int all = 0;
  for (int done = 0; done < steps; ++done) {
    run->step(1);
    reference.step();
    all += reference.*collided;
    ASSERT_EQ(reference.differences(run->save(), 1), 0) << "after " << done + 1 << " steps";
  }
  EXPECT_GT(all, static_cast<int>(discs.size()) / 2);
}

inline void expect_same_with_several_threads(const perturb::Setup& setup, int steps) {
  const auto state_with = [&](int threads) {
    const auto backend = Backend::make_cpu(threads);
    const auto run = particles_simulation().create(*backend, setup);
    run->step(steps);
    return run->save();
  };
  const State expected = state_with(1);
  for (const int threads : {2, 3, 5}) {
    const State state = state_with(threads);
    for (const auto& [name, data] : expected.datasets) EXPECT_TRUE(data.bytes == state.datasets.at(name).bytes) << name;
  }
}

}  // namespace perturb::particles
