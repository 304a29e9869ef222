// The gauge shows the true stability limit: below it nothing grows, above it something does, with any damping.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveLimit : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveLimit);

double highest(const Simulation& tank) {
  double most = 0;
  const SavedSurface surface(tank);
  for (const float value : surface.values()) {
    if (!std::isfinite(value)) return INFINITY;
    most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

void expect_pass(const TheoryCheck& check) {
  EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got << "; "
                            << check.note;
}

TEST_P(WaveLimit, IsStableBelowAndUnstableAbove) {
  SKIP_AT_SMALL_REACH("another test tries fewer tanks");
  const auto checks = check_random_limits(backend(), 80, 100000, false);
  ASSERT_EQ(checks.size(), 2u);
  for (const TheoryCheck& check : checks) expect_pass(check);
  EXPECT_GT(checks[0].expected, 60) << "tanks tried below";
  EXPECT_GT(checks[1].expected, 25) << "tanks tried above";
}

TEST_P(WaveLimit, IsStableBelowAndUnstableAboveInDoublePrecision) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const TheoryCheck& check : check_random_limits(backend(), 24, 20000, true)) expect_pass(check);
}

TEST_P(WaveLimit, ShortestWavesOscillateBelowAndGrowAbove) {
  for (const int stencil : {0, 1})
    for (const TheoryCheck& check : check_limit(backend(), stencil)) expect_pass(check);
}

// Amber just below the limit, red above it, green for the presets.
TEST_P(WaveLimit, GaugeWarnsBeforeAndExceedsBeyond) {
  const auto level = [&](double share) {
    return wave_tank(backend(), 64, 64, {{"time_step", share * std::sqrt(0.5)}})->gauges()[0].level();
  };
  EXPECT_EQ(level(0.96), Gauge::Level::good);
  EXPECT_EQ(level(0.98), Gauge::Level::near);
  EXPECT_EQ(level(1.01), Gauge::Level::exceeded);
}

// A source faster than its waves can pump energy into a closed tank, at any time step; a gauge shows this.
TEST_P(WaveLimit, DetectsSupersonicSource) {
  const auto tank = wave_tank(backend(), 64, 64, {{"wave_speed", 0.5}});
  EXPECT_EQ(tank->gauges().size(), 1u);
  const auto levels = [&](double speed) {
    tank->apply(act("remove-sources"));
    tank->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"vx", 0.6 * speed}, {"vy", 0.8 * speed}}));
    return tank->gauges().at(1).level();
  };
  EXPECT_EQ(levels(0.45), Gauge::Level::good);
  EXPECT_EQ(levels(0.55), Gauge::Level::near);
  EXPECT_EQ(levels(1.05), Gauge::Level::exceeded);
}

// Damping, a sponge and absorbing sides remove energy at any time step.
TEST_P(WaveLimit, DampingMovesNoLimit) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  auto parameters = all_sides(Boundary::absorbing);
  parameters["time_step"] = 0.65;
  parameters["sponge_width"] = 32;
  parameters["sponge_strength"] = 2;
  parameters["damping"] = 2;
  const auto tank = wave_tank(backend(), 192, 96, parameters);
  EXPECT_NEAR(tank->gauges()[0].limit, std::sqrt(0.5), 1e-9);
  tank->apply(act("oscillator", {{"x", 0.15}, {"y", 0.5}, {"frequency", 0.04}, {"amplitude", 0.2}, {"vx", 0.4}}));
  tank->apply(act("droplet", {{"x", 0.9}, {"y", 0.9}, {"amplitude", 1}}));
  tank->step(20000);
  EXPECT_LT(highest(*tank), 1);
}

TEST_P(WaveLimit, SpongeOfTheDopplerSceneHoldsAtALargeStep) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  auto parameters = all_sides(Boundary::absorbing);
  parameters["time_step"] = 0.65;
  parameters["damping"] = 0.0005;
  parameters["sponge_width"] = 32;
  const auto tank = wave_tank(backend(), 192, 96, parameters);
  tank->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"frequency", 0.04}, {"amplitude", 0.2}, {"radius", 3}}));
  tank->step(20000);
  EXPECT_LT(highest(*tank), 1);
}

// Fast water in a few cells allows a Courant number above 1/√2, and the gauge includes this.
TEST_P(WaveLimit, DetectsFastWaterInFewCells) {
  const auto tank = wave_tank(backend(), 64, 64, {{"time_step", 0.3}, {"damping", 0}});
  tank->apply(act("speed-disc", {{"x", 32.5 / 64}, {"y", 32.5 / 64}, {"radius", 0.6}, {"factor", 2}}));
  const Gauge gauge = tank->gauges()[0];
  EXPECT_DOUBLE_EQ(gauge.value, 0.6);
  // One cell of speed 2 in water of 1: λ slightly above 16 + 4·4·1/(16 - 4); uniform water of speed 2 has 32.
  EXPECT_GT(gauge.limit, 0.9);
  EXPECT_LT(gauge.limit, 1.0);
}

// A state copy restores its speed map and so its limit, regardless of edits and queries in between.
TEST_P(WaveLimit, ComesBackWithItsSpeedMap) {
  const auto tank = wave_tank(backend(), 64, 64, {{"time_step", 0.3}, {"damping", 0}});
  tank->apply(act("speed-disc", {{"x", 32.5 / 64}, {"y", 32.5 / 64}, {"radius", 0.6}, {"factor", 2}}));
  const double limit = tank->gauges()[0].limit;
  const auto copy = tank->copy_state();
  tank->apply(act("speed-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", 2}}));
  ASSERT_LT(tank->gauges()[0].limit, 0.9 * limit);
  tank->restore(*copy);
  EXPECT_EQ(tank->gauges()[0].limit, limit);
}

}  // namespace
}  // namespace perturb::wave
