// Changes while the gas runs: the wall that is dragged, the number of discs; and scenes of two kinds of discs.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/object.h"
#include "cuda/particles/measure/theory.h"
#include "cuda/particles/particles.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

class ParticlesChange : public ExactDiscsOnEachBackend {};
PERTURB_ON_EACH_BACKEND(ParticlesChange);

std::size_t discs_in(const State& state) { return state.datasets.at("position").shape[0]; }

// Pairs nearer than the sum of their radii, and discs outside the box, counted one by one.
int misplaced_in(const State& state, double usual_radius, double right, double top) {
  const std::size_t n = discs_in(state);
  const auto xy = state.get<double>("position", {n, 2});
  std::vector<double> radius(n, usual_radius);
  if (state.has("radius")) radius = state.get<double>("radius", {n});
  int found = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const double x = xy[2 * a], y = xy[2 * a + 1], r = radius[a] * (1 - 1e-9);
    found += x < r || y < r || x > right - r || y > top - r;
    for (std::size_t b = 0; b < a; ++b)
      found += std::hypot(xy[2 * b] - x, xy[2 * b + 1] - y) < (radius[a] + radius[b]) * (1 - 1e-9);
  }
  return found;
}

Action wall_to(double x) { return {"change-piston", {{"object", 1}, {"x", x}}, "", nullptr}; }

// ---- the wall

TEST_P(ParticlesChange, WallIsAnObjectThatIsDragged) {
  const auto run = make({{"count", 200}, {"box", 80}, {"velocity_max", 1}, {"wall_speed", 2}});
  ASSERT_EQ(run->objects().size(), 1u);
  SceneObject wall = run->objects()[0];
  EXPECT_EQ(wall.kind, "piston");
  EXPECT_EQ(wall.numbers.at("x"), 1);
  EXPECT_LT(wall.handles.at(0).x, 1) << "the whole knob is in the view";
  const Action drag = dragged(wall, wall.handles.at(0), -0.25, 0.1, 80, 80, run->info().actions);
  run->apply(drag);
  run->step(4);
  wall = run->objects()[0];
  EXPECT_EQ(wall.numbers.at("x"), 0.75) << "where it was dragged";
  EXPECT_NEAR(wall.outline.at(0).x, 72.0 / 80, 1e-12) << "where it is";
  EXPECT_EQ(wall.handles.at(0).x, 0.75);
  run->step(20);
  EXPECT_EQ(run->objects()[0].outline.at(0).x, 0.75) << "it stays";
  EXPECT_EQ(scalar(*run, "volume"), 60 * 80);
  EXPECT_EQ(misplaced_in(run->save(), 1, 60, 80), 0);
  // Saved and restored on the way.
  run->apply(wall_to(0.9));
  run->step(2);
  const State saved = run->save();
  const auto copy = run->copy_state();
  run->step(10);
  const auto end = run->save().get<double>("position", {200, 2});
  run->restore(*copy);
  run->step(10);
  EXPECT_EQ(run->save().get<double>("position", {200, 2}), end);
  const auto other = make({{"count", 200}, {"box", 80}, {"velocity_max", 1}, {"wall_speed", 2}});
  other->load(saved);
  other->step(10);
  EXPECT_EQ(other->save().get<double>("position", {200, 2}), end);
  EXPECT_EQ(other->objects(), run->objects());
  EXPECT_THROW(run->apply(Action{remove_object_kind, {{"object", 1}}, "", nullptr}), InputError);
  EXPECT_THROW(run->apply(Action{"change-piston", {{"object", 2}, {"x", 0.5}}, "", nullptr}), InputError);
}

TEST_P(ParticlesChange, SlowDragHeatsTheGasAdiabatically) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const double discs = 600, side = 250;
  const auto run =
      make({{"count", discs}, {"box", side}, {"velocity_max", 1.7}, {"velocities", 1}, {"wall_speed", 0.05}});
  run->step(20);
  const double before = scalar(*run, "temperature");
  run->apply(wall_to(0.6));
  run->step(2100);
  EXPECT_EQ(run->objects()[0].outline.at(0).x, 0.6);
  const double heated = scalar(*run, "temperature");
  // T V^(γ-1) is constant, γ = 2 in two dimensions; the discs' own area adds a little.
  EXPECT_NEAR(heated * 0.6 / before, 1, 0.06);
  const double from = fraction_between_walls(discs, 1, side, side),
               to = fraction_between_walls(discs, 1, 0.6 * side, side);
  EXPECT_NEAR(heated / before, adiabatic_heating(from, to), 0.02 * heated / before);
  run->apply(wall_to(1));
  run->step(2100);
  EXPECT_NEAR(scalar(*run, "temperature") / before, 1, 0.03) << "and back";
}

TEST_P(ParticlesChange, DraggedWallLeavesTheDiscsRoom) {
  const auto run =
      make({{"count", 500}, {"box", 60}, {"velocity_max", 1}, {"slow_factor", 4}, {"wall_speed", 1}});  // φ = 0.44
  run->apply(wall_to(0.02));
  for (int k = 0; k < reach(12, 2); ++k) {
    run->step(20);
    for (const Gauge& gauge : run->gauges()) EXPECT_LT(gauge.value, gauge.limit) << gauge.id;
  }
  const double right = 60 * run->objects()[0].outline.at(0).x;
  EXPECT_LE(scalar(*run, "area_fraction"), 0.69 + 1e-9);
  EXPECT_EQ(misplaced_in(run->save(), 1, right, 60), 0);
}

TEST_P(ParticlesChange, WallIsDraggedUnderThePapersRuleToo) {
  const auto run = make({{"collisions", 0}, {"count", 100}, {"box", 80}, {"velocity_max", 1}, {"wall_speed", 1}});
  run->apply({"piston", {{"x", 0.5}}, "", nullptr});
  run->step(60);
  EXPECT_EQ(run->objects()[0].outline.at(0).x, 0.5);
  const State state = run->save();
  const auto xy = state.get<double>("position", {100, 2});
  for (std::size_t k = 0; k < 100; ++k) EXPECT_LE(xy[2 * k], 39 + 1e-9);
}

// ---- the number of discs

TEST_P(ParticlesChange, NumberOfDiscsChangesWhileTheGasRuns) {
  const std::map<std::string, double> gas = {{"count", 500},    {"box", 100},        {"velocity_max", 1},
                                             {"velocities", 1}, {"heavy_radius", 6}, {"heavy_mass", 20}};
  const auto run = make(gas);
  run->step(10);
  const double temperature = scalar(*run, "temperature");
  run->set_parameter("count", 900);
  EXPECT_EQ(discs_in(run->save()), 901u);
  EXPECT_EQ(run->parameters().get("count"), 900);
  EXPECT_EQ(misplaced_in(run->save(), 1, 100, 100), 0);
  // 400 drawn energies: the mean of all varies by 400/900 of 1/√400.
  EXPECT_NEAR(scalar(*run, "temperature"), temperature, 4 * 400.0 / 900 / 20 * temperature);
  run->step(10);
  const State more = run->save();
  run->set_parameter("count", 300);
  const State fewer = run->save();
  ASSERT_EQ(discs_in(fewer), 301u);
  const auto before = more.get<double>("position", {901, 2}), after = fewer.get<double>("position", {301, 2});
  EXPECT_TRUE(std::equal(after.begin(), after.begin() + 600, before.begin())) << "the first ones stay where they are";
  EXPECT_EQ(fewer.get<double>("radius", {301})[300], 6) << "the heavy disc stays";
  run->step(10);
  EXPECT_EQ(misplaced_in(run->save(), 1, 100, 100), 0);

  const auto again = make(gas);
  again->step(10);
  again->set_parameter("count", 900);
  again->step(10);
  again->set_parameter("count", 300);
  again->step(10);
  EXPECT_EQ(again->save().get<double>("position", {301, 2}), run->save().get<double>("position", {301, 2}));
}

TEST_P(ParticlesChange, FewerDiscsAreAddedIfThereIsNoRoom) {
  const auto run = make({{"count", 300}, {"box", 50}, {"velocity_max", 1}});  // 0.38 of the area
  run->set_parameter("count", 2000);
  const double count = run->parameters().get("count");
  EXPECT_GT(count, 330);
  EXPECT_LT(count, 600) << "0.75 of the area";
  EXPECT_EQ(discs_in(run->save()), static_cast<std::size_t>(count));
  EXPECT_FALSE(run->take_warning().empty());
  EXPECT_EQ(misplaced_in(run->save(), 1, 50, 50), 0);
  run->set_parameter("count", 1);
  EXPECT_EQ(discs_in(run->save()), 1u);
  run->step(5);
}

// ---- tools

TEST_P(ParticlesChange, ThrowTakesTheNearestDiscWithin24Pixels) {
  const auto run = make({{"count", 1}, {"box", 100}, {"velocity_max", 1}});
  const auto at = run->save().get<double>("position", {1, 2});
  const double side = at[0] < 50 ? 1 : -1;
  Gesture press;
  press.tool = "throw";
  press.pixel = 0.25;
  press.y = press.start_y = at[1] / 100;
  const auto grab_at = [&](double distance) {
    press.x = press.start_x = (at[0] + side * distance) / 100;
    for (const Action& action : run->interpret(press)) run->apply(action);
  };
  EXPECT_THROW(grab_at(1 + 24 * 0.25 + 0.01), InputError) << "beyond the edge of the disc";
  EXPECT_NE(scalar(*run, "energy"), 0);
  grab_at(1 + 24 * 0.25 - 0.01);
  EXPECT_EQ(scalar(*run, "energy"), 0) << "it is held";
}

TEST(ParticlesTools, ThoseOfAllDiscsActAtOnce) {
  for (const Tool& tool : particles_simulation().tools)
    EXPECT_EQ(tool.immediate, tool.id == "reverse" || tool.id == "heat" || tool.id == "cool") << tool.id;
}

// ---- two kinds of discs

TEST_P(ParticlesChange, TwoKindsShareTheirEnergyEqually) {
  const double share = 0.25;
  const auto run = make({{"count", 600},
                         {"box", 110},
                         {"velocity_max", 1},
                         {"second_share", share},
                         {"second_radius", 1.8},
                         {"second_mass", 5}});
  const State start = run->save();
  EXPECT_EQ(misplaced_in(start, 1, 110, 110), 0);
  const auto mass = start.get<double>("mass", {600}), radius = start.get<double>("radius", {600});
  EXPECT_EQ(std::count(mass.begin(), mass.end(), 5), 150);
  for (std::size_t k = 0; k < 600; ++k) EXPECT_EQ(radius[k], mass[k] == 5 ? 1.8 : 1);
  EXPECT_EQ(std::count(mass.begin(), mass.begin() + 100, 5), 25) << "evenly over the ids";
  Diagnostics d = run->diagnostics({}, true);
  EXPECT_GT(scalar(d, "temperature_second"), 4 * scalar(d, "temperature_first")) << "the same speeds";
  const double energy = scalar(d, "energy");
  if (!has_small_reach()) {
    run->step(400);
    double first = 0, second = 0;
    for (int k = 0; k < 60; ++k) {
      run->step(10);
      d = run->diagnostics({}, true);
      first += scalar(d, "temperature_first") / 60;
      second += scalar(d, "temperature_second") / 60;
    }
    EXPECT_NEAR(second, first, 0.1 * first);
  }
  EXPECT_NEAR(scalar(*run, "energy"), energy, 1e-12 * energy);
  // The equation of state of the mixture is compared once the energy is shared.
  d = run->diagnostics({}, true);
  const Scalar* theory = d.scalar("pv_nt_theory");
  EXPECT_EQ(theory != nullptr, !has_small_reach());
  if (theory) {
    EXPECT_NEAR(scalar(d, "pv_nt"), theory->value, 0.05 * theory->value);
  }
  ViewSettings view;
  view.quantity = "mass";
  EXPECT_EQ(run->diagnostics(view, true).maximum, 5);
  run->set_parameter("count", 700);
  const auto more = run->save().get<double>("mass", {700});
  EXPECT_EQ(std::count(more.begin(), more.end(), 5), 175);
}

}  // namespace
}  // namespace perturb::particles
