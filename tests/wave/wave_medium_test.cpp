// Tests of walls, speed maps, sources and rain in the wave tank.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveMediumTank : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> tank(int width, int height, std::map<std::string, double> parameters = {}) {
    return wave_tank(backend(), width, height, std::move(parameters));
  }
};
PERTURB_ON_EACH_BACKEND(WaveMediumTank);

TEST_P(WaveMediumTank, WallsAreTight) {
  const auto t = tank(60, 40, {{"time_step", 0.5}});
  t->apply(act("wall-rectangle", {{"x0", 0.5}, {"y0", 0}, {"x1", 0.55}, {"y1", 1}}));
  t->apply(act("droplet", {{"x", 0.25}, {"y", 0.5}, {"amplitude", 1}}));
  t->step(400);
  const SavedSurface u(*t);
  double left = 0;
  for (int j = 0; j < 40; ++j) {
    for (int i = 30; i < 60; ++i) ASSERT_EQ(u.at(i, j), 0.f) << i << " " << j;
    for (int i = 0; i < 30; ++i) left = std::max(left, std::abs(static_cast<double>(u.at(i, j))));
  }
  EXPECT_GT(left, 0.01);
  // After erasing, waves pass and the memory is released.
  t->apply(act("wall-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"erase", 1}}));
  EXPECT_FALSE(t->save().has("wall"));
  t->step(60);
  EXPECT_NE(SavedSurface(*t).at(40, 20), 0.f);
}

TEST_P(WaveMediumTank, WallsKeepTheSpeedBeneathThem) {
  const auto t = tank(300, 300);
  const std::size_t without = backend().memory_in_use();
  t->apply(act("speed-rectangle", {{"x0", 0}, {"y0", 0}, {"x1", 0.5}, {"y1", 1}, {"factor", 0.5}}));
  const std::size_t with_field = backend().memory_in_use();
  EXPECT_GT(with_field, without + 300 * 300 * sizeof(float));
  t->apply(act("wall-ellipse", {{"x", 0.5}, {"y", 0.5}, {"radius_x", 0.4}, {"radius_y", 0.4}, {"outside", 1}}));
  const State walled = t->save();
  EXPECT_EQ(SavedSurface(walled, "speed").at(50, 150), 0.5f);
  const auto wall = walled.get<std::uint8_t>("wall", {300, 300});
  EXPECT_EQ(wall[0], 1);
  EXPECT_EQ(wall[150 * 300 + 150], 0);
  t->apply(act("clear-walls"));
  EXPECT_FALSE(t->save().has("wall"));
  EXPECT_TRUE(t->save().datasets.at("speed").bytes == walled.datasets.at("speed").bytes);
  t->apply(act("clear-speed"));
  EXPECT_FALSE(t->save().has("speed"));
  EXPECT_LT(backend().memory_in_use(), with_field);
}

TEST_P(WaveMediumTank, ImagesBecomeWallsAndSpeeds) {
  const auto image = std::make_shared<GreyImage>();
  image->width = 2;
  image->height = 1;
  image->values = {0.f, 1.f};  // dark on the left; stretched over a tank with a different aspect ratio
  const auto t = tank(40, 10);
  t->apply({"wall-image", {}, "halves.png", image});
  const auto wall = t->save().get<std::uint8_t>("wall", {10, 40});
  EXPECT_EQ(wall[5 * 40 + 5], 1);
  EXPECT_EQ(wall[5 * 40 + 35], 0);
  t->apply({"speed-image", {{"from", 0.5}, {"to", 1}}, "halves.png", image});
  const SavedSurface speed(*t, "speed");
  EXPECT_EQ(speed.at(2, 5), 0.5f);
  EXPECT_EQ(speed.at(37, 5), 1.f);
  EXPECT_THROW(t->apply(act("wall-image")), InputError);
}

// One pixel thick and at 45 degrees: the nine-point stencil reads across such a corner.
TEST_P(WaveMediumTank, SlantedWallOfOnePixelIsTight) {
  constexpr int size = 48;
  const auto image = std::make_shared<GreyImage>();
  image->width = image->height = size;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) image->values.push_back(i == j ? 0.f : 1.f);
  const auto t = tank(size, size, {{"stencil", 1}, {"time_step", 0.5}, {"damping", 0}});
  t->apply({"wall-image", {}, "slant.png", image});
  t->apply(act("droplet", {{"x", 0.25}, {"y", 0.75}, {"radius", 3}, {"amplitude", 1}}));
  t->step(300);
  const SavedSurface u(*t);
  double left = 0;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) {
      if (i > j) {
        ASSERT_EQ(u.at(i, j), 0.f) << i << " " << j;
      }
      if (i < j) left = std::max(left, std::abs(static_cast<double>(u.at(i, j))));
    }
  EXPECT_GT(left, 0.01);
}

TEST_P(WaveMediumTank, GaugeFollowsTheFastestWater) {
  const auto t = tank(30, 30, {{"time_step", 0.5}, {"damping", 0}});
  ASSERT_EQ(t->gauges().size(), 1u);
  EXPECT_DOUBLE_EQ(t->gauges()[0].value, 0.5);
  // The phase of the shortest wave between fixed sides changes by 30/31 π from cell to cell.
  EXPECT_NEAR(t->gauges()[0].limit, std::sqrt(0.5) / std::sin(0.5 * M_PI * 30 / 31), 1e-12);
  t->apply(act("speed-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 5}, {"factor", 2}}));
  EXPECT_DOUBLE_EQ(t->gauges()[0].value, 1.0);
  t->apply(act("clear-speed"));
  EXPECT_DOUBLE_EQ(t->gauges()[0].value, 0.5);
}

TEST_P(WaveMediumTank, OscillatorHoldsItsPlace) {
  const auto t = tank(50, 50, {{"time_step", 0.25}, {"damping", 0}});
  t->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}, {"frequency", 0.1}, {"amplitude", 0.3}, {"phase", 0.4}}));
  for (int k = 0; k < 5; ++k) {
    t->step(17);  // beyond the first period, in which the ramp grows
    const double ramp = std::min(1.0, 0.1 * t->time());
    EXPECT_NEAR(SavedSurface(*t).at(25, 25), 0.3 * ramp * std::sin(2 * M_PI * 0.1 * t->time() + 0.4), 1e-6);
  }
  t->apply(act("remove-source", {{"x", 0.9}, {"y", 0.9}}));
  EXPECT_FALSE(t->save().has("sources"));
}

TEST_P(WaveMediumTank, StatesLimitOfSources) {
  const auto t = tank(50, 50);
  for (int k = 0; k < 8; ++k) t->apply(act("oscillator", {{"x", 0.1 * k + 0.1}, {"y", 0.5}}));
  EXPECT_TRUE(says(error_thrown_by([&] {
                     t->apply(act("line-source", {{"x0", 0}, {"y0", 0}, {"x1", 0}, {"y1", 1}}));
                   }),
                   "at most 8"));
  t->apply(act("remove-source", {{"x", 0.1}, {"y", 0.5}}));
  EXPECT_EQ(t->save().datasets.at("sources").shape, (std::vector<std::size_t>{7, 15}));
  t->step(5);
  t->apply(act("remove-sources"));
  EXPECT_FALSE(t->save().has("sources"));
}

// --- rain ------------------------------------------------------------------------------------------------------------

TEST_P(WaveMediumTank, RainIsDecidedBySeedAndStepAlone) {
  perturb::Setup setup = wave_setup(70, 50, {{"time_step", 0.5}, {"rain_rate", 0.7}});
  setup.seed = 5;
  const auto whole = wave_simulation().create(backend(), setup);
  whole->step(200);
  const auto pieces = wave_simulation().create(backend(), setup);
  for (const int count : {1, 7, 64, 3, 125}) pieces->step(count);
  EXPECT_TRUE(same_bits(whole->save(), pieces->save()));
  setup.seed = 6;
  const auto other = wave_simulation().create(backend(), setup);
  other->step(200);
  EXPECT_FALSE(same_bits(whole->save(), other->save()));
}

TEST_P(WaveMediumTank, RainFallsAtItsRate) {
  // Drops of one cell on still water (c = 0): each changes the height of its cell immediately.
  const auto t = tank(
      400, 400, {{"wave_speed", 0}, {"damping", 1}, {"time_step", 1}, {"rain_rate", 2.5}, {"droplet_radius", 0.1}});
  t->step(200);
  const SavedSurface u(*t);
  int wet = 0;
  for (const float value : u.values()) wet += value < -1e-6f ? 1 : 0;
  // 2 or 3 per step; 200 such choices have a deviation of 7, and a few fall on the same cell
  EXPECT_NEAR(wet, 500, 60);
}

TEST(WaveThreads, DoNotChangeResult) {
  perturb::Setup setup =
      wave_setup(97, 61, {{"time_step", 0.5}, {"rain_rate", 0.5}, {"boundary_left", number_of(Boundary::absorbing)}});
  const auto run = [&](int threads) {
    const auto backend = Backend::make_cpu(threads);
    const auto t = wave_simulation().create(*backend, setup);
    t->apply(act("wall-line", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.8}, {"y1", 0.7}}));
    t->step(300);
    const Diagnostics d = t->diagnostics({}, true);
    return std::pair(t->save(), d.scalars);
  };
  const auto one = run(1);
  for (const int threads : {2, 3, 5}) {
    const auto many = run(threads);
    EXPECT_TRUE(same_bits(one.first, many.first)) << threads;
    for (std::size_t k = 0; k < one.second.size(); ++k)
      EXPECT_EQ(one.second[k].value, many.second[k].value) << one.second[k].id;
  }
}

}  // namespace
}  // namespace perturb::wave
