// The mean height of a tank without a restoring force: effect of droplets, rain, and the removal of walls, sources and
// fixed sides.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveMean : public OnEachBackend {
 protected:
  static constexpr int side = 48;

  std::unique_ptr<Simulation> tank(Boundary boundary, bool fp64, std::map<std::string, double> more = {}) {
    auto parameters = all_sides(boundary);
    parameters["damping"] = 0;
    parameters["precision"] = fp64 ? 1 : 0;
    for (const auto& [id, value] : more) parameters[id] = value;
    return wave_tank(backend(), side, side, parameters);
  }
  static double mean(Simulation& tank) { return scalar(tank, "mean_height"); }
  // Rounding error of the mean after thousands of steps, as a share of the waves' height.
  static double rounding(Simulation& tank, bool fp64 = false) {
    return (fp64 ? 1e-10 : 2e-3) * scalar(tank, "rms_height");
  }
};
PERTURB_ON_EACH_BACKEND(WaveMean);

TEST_P(WaveMean, StaysWhenDropletsFallBetweenFreeOrPeriodicSides) {
  for (const Boundary boundary : {Boundary::free, Boundary::periodic})
    for (const bool fp64 : {false, true}) {
      SCOPED_TRACE(std::string(boundary == Boundary::free ? "free" : "periodic") + (fp64 ? ", fp64" : ", fp32"));
      const auto t = tank(boundary, fp64);
      // In the middle, clipped by a corner, outside the tank, and wider than the tank.
      t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
      t->apply(act("droplet", {{"x", 0.0}, {"y", 0.99}, {"amplitude", -0.2}}));
      t->apply(act("droplet", {{"x", 1.02}, {"y", 0.4}}));
      t->apply(act("droplet", {{"x", 0.3}, {"y", 0.7}, {"radius", 60}}));
      t->step(4000);
      EXPECT_NEAR(mean(*t), 0, rounding(*t, fp64));
      EXPECT_GT(scalar(*t, "rms_height"), 1e-2) << "the waves are there";
    }
}

TEST_P(WaveMean, StaysInRain) {
  for (const Boundary boundary : {Boundary::free, Boundary::periodic}) {
    const auto t = tank(boundary, false, {{"rain_rate", 5}});
    t->step(4000);
    EXPECT_NEAR(mean(*t), 0, 2 * rounding(*t));
    EXPECT_GT(scalar(*t, "rms_height"), 0.1);
  }
}

// In an open tank the waves leave, but the lowered mean stays.
TEST_P(WaveMean, StaysNearZeroInRainBetweenAbsorbingSides) {
  const auto t = tank(Boundary::absorbing, false, {{"rain_rate", 5}, {"sponge_width", 10}, {"time_step", 0.2}});
  t->step(4000);
  t->set_parameter("rain_rate", 0);
  t->step(2000);
  // A quarter of the volume of 4000 drops, each 0.07 · 3/4 · 9 π. Without the correction it was 40 times the whole
  // volume.
  EXPECT_LT(std::abs(mean(*t)), 0.25 * 4000 * 1.48 / (side * side));
}

// A furrow consists of many droplets.
TEST_P(WaveMean, StaysWhenAFurrowIsDrawn) {
  const auto t = tank(Boundary::free, false);
  Gesture drag;
  drag.tool = "droplet";
  drag.phase = Gesture::Phase::move;
  drag.button = Gesture::Button::left;
  drag.previous_x = 0.1;
  drag.previous_y = 0.2;
  drag.x = 0.9;
  drag.y = 0.8;
  for (const Action& action : t->interpret(drag)) t->apply(action);
  t->step(2000);
  EXPECT_NEAR(mean(*t), 0, rounding(*t));
}

TEST_P(WaveMean, DoesNotDriftWhenTheLastWallAndSourceGo) {
  const auto t = tank(Boundary::free, false);
  t->apply(act("wall-rectangle", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.3}, {"y1", 0.9}}));
  t->apply(act("oscillator", {{"x", 0.6}, {"y", 0.5}, {"frequency", 0.02}, {"amplitude", 0.3}}));
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.2}}));
  t->step(777);
  t->apply(act("clear-walls"));
  t->step(100);
  t->apply(act("remove-sources"));
  const double before = mean(*t);
  t->step(4000);
  EXPECT_NEAR(mean(*t), before, rounding(*t));
}

TEST_P(WaveMean, DoesNotDriftWhenTheLastFixedSideGoes) {
  const auto t = tank(Boundary::free, true, {{"boundary_left", number_of(Boundary::fixed)}});
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  t->step(900);
  t->set_parameter("boundary_left", number_of(Boundary::free));
  const double before = mean(*t);
  t->step(4000);
  EXPECT_NEAR(mean(*t), before, rounding(*t, true));
}

// Between fixed sides the droplet is bit-identical to the paper's.
TEST_P(WaveMean, IsLeftAloneBetweenFixedSides) {
  const auto t = tank(Boundary::fixed, false);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  const SavedSurface u(*t);
  EXPECT_EQ(u.at(2, 2), 0);
  EXPECT_EQ(u.at(side / 2, side / 2), -0.07f);
}

}  // namespace
}  // namespace perturb::wave
