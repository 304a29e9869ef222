// Tracers move with the fluid.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"

namespace perturb::lbm {
namespace {

class LbmTracersTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmTracersTest);

std::vector<double> tracers_of(const Simulation& flow, std::size_t count) {
  return flow.save().get<double>("tracers", {count, 4});
}

TEST_P(LbmTracersTest, AStreamCarriesThemAsFarAsItFlows) {
  constexpr std::size_t count = 50;
  constexpr double speed = 0.05;
  const auto flow = flow_of(backend(), 96, 40, {{"tracers", count}}, {action("stream", {{"vx", speed}, {"vy", 0.02}})});
  const std::vector<double> before = tracers_of(*flow, count);
  flow->step(3000);
  const std::vector<double> after = tracers_of(*flow, count);
  for (std::size_t k = 0; k < count; ++k) {
    // Both sides are periodic: 150 cells to the right, 60 upwards.
    EXPECT_NEAR(std::remainder(after[4 * k] - before[4 * k] - 3000 * speed, 96), 0, 0.01) << k;
    EXPECT_NEAR(std::remainder(after[4 * k + 1] - before[4 * k + 1] - 3000 * 0.02, 40), 0, 0.01) << k;
  }
}

// Each tracer stays on its contour of the stream function, while the vortices decay.
TEST_P(LbmTracersTest, VorticesCarryThemRoundAlongStreamlines) {
  constexpr std::size_t count = 200;
  constexpr int side = 96;
  constexpr double k = 2 * std::numbers::pi / side;
  const auto flow = flow_of(backend(), side, side, {{"tracers", count}, {"viscosity", 0.005}},
                            {action("taylor-green", {{"speed", 0.05}})});
  const auto level = [&](const std::vector<double>& t, std::size_t n) {
    return std::cos(k * t[4 * n]) * std::cos(k * t[4 * n + 1]);
  };
  const std::vector<double> before = tracers_of(*flow, count);
  flow->step(1500);  // up to one and a half turns
  const std::vector<double> after = tracers_of(*flow, count);
  double way = 0, sum = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const double error = level(after, n) - level(before, n);
    EXPECT_NEAR(error, 0, 0.03) << n;
    sum += error * error;
    way = std::max(way, std::abs(std::remainder(after[4 * n] - before[4 * n], side)));
  }
  EXPECT_GT(way, 20) << "they did not move";
  EXPECT_LT(std::sqrt(sum / count), 0.01);
}

// Tracers enter on the left, pass a disc, leave on the right and enter again; none gets stuck or lost.
TEST_P(LbmTracersTest, TracersPassBodyAndReenter) {
  constexpr std::size_t count = 300;
  const auto flow = flow_of(
      backend(), 120, 60,
      {{"tracers", count},
       {"viscosity", 0.02},
       {"boundary_left", inlet},
       {"boundary_right", outlet},
       {"inlet_speed", 0.1}},
      {action("wall-disc", {{"x", 0.3}, {"y", 0.5}, {"radius", 0.15}}), action("stream", {{"vx", 0.1}, {"vy", 0}})});
  flow->step(2400);
  const State state = flow->save();
  const std::vector<double> t = state.get<double>("tracers", {count, 4});
  const auto wall = state.get<std::uint8_t>("wall", {60, 120});
  int left = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const double x = t[4 * n], y = t[4 * n + 1];
    ASSERT_TRUE(x >= 0 && x < 120 && y >= 0 && y < 60) << n;
    EXPECT_EQ(wall[static_cast<std::size_t>(y) * 120 + static_cast<std::size_t>(x)], 0) << n;
    left += x < 60 ? 1 : 0;
  }
  EXPECT_GT(left, 90) << "they stay spread over the domain";
  EXPECT_LT(left, 210);
}

TEST_P(LbmTracersTest, TracersKeepFlowAndResumeFromState) {
  const std::vector<Action> vortices = {action("taylor-green", {{"speed", 0.05}})};
  const auto without = flow_of(backend(), 48, 32, {}, vortices),
             with = flow_of(backend(), 48, 32, {{"tracers", 40}}, vortices);
  without->step(50);
  with->step(25);
  const State half = with->save();
  with->step(25);
  const State end = with->save(), bare = without->save();
  EXPECT_EQ(end.get<float>("populations", {9, 32, 48}), bare.get<float>("populations", {9, 32, 48}));
  EXPECT_FALSE(bare.has("tracers"));
  const auto again = flow_of(backend(), 48, 32, {{"tracers", 40}}, {});
  again->load(half);
  again->step(25);
  EXPECT_EQ(tracers_of(*again, 40), tracers_of(*with, 40));
  // A state without tracers, as written before tracers existed.
  again->load(bare);
  EXPECT_EQ(tracers_of(*again, 40).size(), 160u);
  again->set_parameter("tracers", 7);
  again->step(12);
  EXPECT_EQ(tracers_of(*again, 7).size(), 28u);
  again->set_parameter("tracers", 0);
  EXPECT_FALSE(again->save().has("tracers"));
  State broken = half;
  broken.put<double>("tracers", {3, 4}, "", std::vector<double>(12, -5.0));
  EXPECT_THROW(again->load(broken), InputError);
}

// A wall drawn over tracers leaves none inside.
TEST_P(LbmTracersTest, AWallThatComesSendsThemElsewhere) {
  const auto flow = flow_of(backend(), 64, 64, {{"tracers", 200}}, {action("stream", {{"vx", 0.02}, {"vy", 0}})});
  flow->apply(action("wall-rectangle", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.8}, {"y1", 0.8}}));
  flow->step(6);
  const State state = flow->save();
  const std::vector<double> t = state.get<double>("tracers", {200, 4});
  const auto wall = state.get<std::uint8_t>("wall", {64, 64});
  for (std::size_t n = 0; n < 200; ++n)
    EXPECT_EQ(wall[static_cast<std::size_t>(t[4 * n + 1]) * 64 + static_cast<std::size_t>(t[4 * n])], 0) << n;
}

}  // namespace
}  // namespace perturb::lbm
