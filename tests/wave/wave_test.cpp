// Tests of the wave tank through its public interface: droplets, sides, diagnostics, saving.
#include "cuda/wave/wave.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/backends.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

class WaveTank : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> tank(int width, int height, std::map<std::string, double> parameters = {}) {
    return wave_tank(backend(), width, height, std::move(parameters));
  }
};
PERTURB_ON_EACH_BACKEND(WaveTank);

// --- droplets --------------------------------------------------------------------------------------------------------

TEST_P(WaveTank, DropletIsGaussianOfPaper) {
  const auto t = tank(64, 48);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.25}}));
  const SavedSurface u(*t), before(*t, "u_previous");
  const int ci = 32, cj = 12;
  for (int j = 0; j < 48; ++j)
    for (int i = 0; i < 64; ++i) {
      const int di = i - ci, dj = j - cj;
      const bool inside = std::abs(di) <= 6 && std::abs(dj) <= 6;  // 13 = 4·3 + 1 cells
      const double expected = inside ? -0.07 * std::exp(-(di * di + dj * dj) / 9.0) : 0;
      // The tolerance covers single precision, and an exponential that CPU and GPU round differently.
      ASSERT_NEAR(u.at(i, j), expected, 1e-8) << i << " " << j;
      ASSERT_EQ(before.at(i, j), 0.f);
    }
}

// The square of the paper would be seen at larger radii: its edge has 2 % of the depth.
TEST_P(WaveTank, LargerDropletHasNoEdge) {
  for (const double radius : {3.5, 8.0, 16.0}) {
    const auto t = tank(128, 128);
    t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", radius}, {"amplitude", 1}}));
    const SavedSurface u(*t);
    for (int j = 0; j < 128; ++j)
      for (int i = 0; i < 128; ++i) {
        const double r2 = (i - 64) * (i - 64) + (j - 64) * (j - 64);
        ASSERT_NEAR(u.at(i, j), -std::exp(-r2 / (radius * radius)), 1e-6) << radius << ": " << i << " " << j;
      }
  }
}

TEST_P(WaveTank, DropletsAddUpAndOppositeOnesCancel) {
  const auto t = tank(40, 40);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  EXPECT_FLOAT_EQ(SavedSurface(*t).at(20, 20), -0.14f);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", -0.14}}));
  EXPECT_NEAR(SavedSurface(*t).at(20, 20), 0, 1e-8);
}

TEST_P(WaveTank, DropletIsTruncatedAtDomainSides) {
  const auto t = tank(40, 30);
  for (const double x : {0.0, 0.999, -0.05, 1.05})
    for (const double y : {0.0, 0.999, -0.05, 1.05}) t->apply(act("droplet", {{"x", x}, {"y", y}, {"radius", 4}}));
  const SavedSurface u(*t);
  EXPECT_LT(u.at(0, 0), -0.05f);
  EXPECT_EQ(u.at(20, 15), 0.f);
  // A droplet larger than the tank, and one far outside.
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 200}}));
  t->apply(act("droplet", {{"x", 2.5}, {"y", -1.5}}));
  EXPECT_TRUE(t->diagnostics({}, true).finite);
}

TEST_P(WaveTank, DropletWrapsInPeriodicTank) {
  const auto t = tank(40, 40, {{"boundary_left", number_of(Boundary::periodic)}});
  t->apply(act("droplet", {{"x", 0.0}, {"y", 0.5}}));
  const SavedSurface u(*t);
  for (int d = 1; d <= 6; ++d) EXPECT_EQ(u.at(d, 20), u.at(40 - d, 20)) << d;
  EXPECT_LT(u.at(39, 20), 0.f);
  // Wider than the tank: every cell changes exactly once. (With a fixed side, since otherwise the mean would be
  // restored immediately.)
  const auto narrow = tank(5, 5, {{"boundary_left", number_of(Boundary::periodic)}});
  narrow->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"radius", 50}}));
  const SavedSurface whole(*narrow);
  for (const float value : whole.values()) EXPECT_NEAR(value, -0.07f, 1e-3);
}

TEST_P(WaveTank, CellSizeScalesADroplet) {
  const auto t = tank(64, 64, {{"cell_size", 0.5}});
  EXPECT_DOUBLE_EQ(t->domain_width(), 32);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  EXPECT_NEAR(SavedSurface(*t).at(38, 32), -0.07 * std::exp(-1.0), 1e-8);  // six cells are one radius
}

// --- sides -----------------------------------------------------------------------------------------------------------

TEST_P(WaveTank, PeriodicTankHasNoEdge) {
  // Two runs that differ by a shift stay bit-identical except for the shift.
  auto parameters = all_sides(Boundary::periodic);
  parameters["time_step"] = 0.5;
  const auto a = tank(48, 40, parameters), b = tank(48, 40, parameters);
  a->apply(act("droplet", {{"x", 24.5 / 48}, {"y", 20.5 / 40}}));
  b->apply(act("droplet", {{"x", 1.5 / 48}, {"y", 2.5 / 40}}));
  a->step(150);
  b->step(150);
  const SavedSurface u(*a), v(*b);
  for (int j = 0; j < 40; ++j)
    for (int i = 0; i < 48; ++i) ASSERT_EQ(u.at((i + 23) % 48, (j + 18) % 40), v.at(i, j)) << i << " " << j;
}

// At a corner each of them is held in four places, which are more than a pass has room for.
TEST_P(WaveTank, SourcesRoundACornerAreThoseInTheMiddle) {
  auto parameters = all_sides(Boundary::periodic);
  parameters["time_step"] = 0.5;
  const auto a = tank(48, 40, parameters), b = tank(48, 40, parameters);
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.7 * k, x = 0.5 / 48 + 0.03 * std::cos(angle), y = 0.5 / 40 + 0.03 * std::sin(angle);
    for (const auto& [t, shift] : {std::pair{a.get(), 0.0}, {b.get(), 0.5}})
      t->apply(act("oscillator", {{"x", x + shift - std::floor(x + shift)},
                                  {"y", y + shift - std::floor(y + shift)},
                                  {"radius", 3},
                                  {"phase", k},
                                  {"vx", k == 3 ? 0.4 : 0}}));
  }
  a->step(100);
  b->step(100);
  const SavedSurface u(*a), v(*b);
  for (int j = 0; j < 40; ++j)
    for (int i = 0; i < 48; ++i) ASSERT_EQ(v.at((i + 24) % 48, (j + 20) % 40), u.at(i, j)) << i << " " << j;
}

TEST_P(WaveTank, FreeTankKeepsItsVolume) {
  auto parameters = all_sides(Boundary::free);
  parameters["damping"] = 0;
  const auto t = tank(50, 34, parameters);
  t->apply(act("mode", {{"m", 2}, {"n", 1}, {"amplitude", 0.5}}));
  t->step(300);
  const SavedSurface u(*t);
  double sum = 0;
  for (const float value : u.values()) sum += value;
  EXPECT_NEAR(sum, 0, 1e-3);
}

TEST_P(WaveTank, PeriodicSidesComeInPairs) {
  EXPECT_TRUE(says(
      error_thrown_by([&] {
        tank(20, 20, {{"boundary_left", number_of(Boundary::periodic)}, {"boundary_right", number_of(Boundary::free)}});
      }),
      "boundary_right must be periodic too"));
  const auto t = tank(20, 20, {{"boundary_top", number_of(Boundary::periodic)}});
  const auto side = [&](const char* id) { return t->parameters().get(std::string(id)); };
  EXPECT_EQ(side("boundary_bottom"), number_of(Boundary::periodic));
  t->set_parameter("boundary_left", number_of(Boundary::periodic));
  EXPECT_EQ(side("boundary_right"), number_of(Boundary::periodic));
  t->set_parameter("boundary_right", number_of(Boundary::absorbing));
  EXPECT_EQ(side("boundary_left"), number_of(Boundary::absorbing));
  t->step(20);
}

// --- saving ----------------------------------------------------------------------------------------------------------

TEST_P(WaveTank, SavedStateResumesBitForBit) {
  for (const double precision : {0.0, 1.0}) {
    auto parameters = all_sides(Boundary::absorbing);
    parameters["time_step"] = 0.3;
    parameters["rain_rate"] = 0.4;
    parameters["precision"] = precision;
    const auto whole = tank(83, 57, parameters);
    whole->apply(act("wall-line", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.4}, {"y1", 0.7}}));
    whole->apply(act("speed-disc", {{"x", 0.7}, {"y", 0.5}, {"radius", 12}, {"factor", 0.7}}));
    whole->apply(act("oscillator", {{"x", 0.3}, {"y", 0.8}, {"vx", 0.7}, {"vy", -0.2}}));
    whole->step(70);
    whole->set_parameter("time_step", 0.4);  // time no longer counts from the start
    parameters["time_step"] = 0.4;
    whole->step(33);
    const State middle = whole->save();
    whole->step(101);

    const auto resumed = tank(83, 57, parameters);
    // This wall is removed by load().
    resumed->apply(act("wall-ellipse", {{"x", 0.5}, {"y", 0.5}, {"radius_x", 0.1}, {"radius_y", 0.1}}));
    resumed->load(middle);
    EXPECT_TRUE(same_bits(middle, resumed->save()));
    resumed->step(101);
    EXPECT_TRUE(same_bits(whole->save(), resumed->save())) << "precision " << precision;
  }
}

TEST_P(WaveTank, RejectsForeignStateUnchanged) {
  const auto t = tank(20, 10);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  t->step(3);
  const State before = t->save();
  const auto expect_rejected = [&](auto&& damage) {
    State state = before;
    damage(state);
    EXPECT_THROW(t->load(state), InputError);
    EXPECT_TRUE(same_bits(before, t->save()));
  };
  expect_rejected([](State& s) { s.simulation = "lbm"; });
  expect_rejected([](State& s) { s.width = 21; });
  expect_rejected([](State& s) { s.datasets.erase("u_previous"); });
  expect_rejected([](State& s) { s.put<double>("u", {10, 20}, "", std::vector<double>(200)); });
  expect_rejected([](State& s) { s.put<float>("speed", {10, 20}, "", std::vector<float>(200, -1.f)); });
  expect_rejected([](State& s) { s.put<double>("sources", {9, 11}, "", std::vector<double>(99)); });
  expect_rejected([](State& s) { s.put<double>("sources", {1, 11}, "", std::vector<double>(11, std::nan(""))); });
  expect_rejected([](State& s) { s.time = std::numeric_limits<double>::infinity(); });
  expect_rejected([](State& s) { s.put<float>("u", {10, 20}, "", std::vector<float>(200, std::nanf(""))); });
  expect_rejected([](State& s) {
    s.put<double>("clock", {2}, "", std::vector<double>{4, 0});
  });  // later than the state's own step
}

TEST_P(WaveTank, ChangingTheTimeStepKeepsTimeAndVelocity) {
  const auto t = tank(60, 60, {{"time_step", 0.4}});
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", 1}}));
  t->step(50);
  const double time = t->time();
  const SavedSurface u(*t), was(*t, "u_previous");
  t->set_parameter("time_step", 0.1);
  EXPECT_DOUBLE_EQ(t->time(), time);
  const SavedSurface now(*t), then(*t, "u_previous");
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(now.at(i, 30), u.at(i, 30));
    EXPECT_NEAR((now.at(i, 30) - then.at(i, 30)) / 0.1, (u.at(i, 30) - was.at(i, 30)) / 0.4, 2e-6);
  }
  t->step(10);
  EXPECT_NEAR(t->time(), time + 1, 1e-12);
}

// --- diagnostics and refusals ----------------------------------------------------------------------------------------

TEST_P(WaveTank, DiagnosticsMeasureTheSurface) {
  const auto t = tank(300, 40);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", 0.5}}));
  t->apply(act("droplet", {{"x", 0.2}, {"y", 0.5}, {"amplitude", -0.25}}));
  const SavedSurface u(*t);
  double sum = 0, squares = 0;
  for (const float value : u.values()) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const Diagnostics d = t->diagnostics({}, true);
  EXPECT_TRUE(d.finite);
  EXPECT_FLOAT_EQ(static_cast<float>(d.minimum), -0.5f);
  EXPECT_FLOAT_EQ(static_cast<float>(d.maximum), 0.25f);
  std::map<std::string, double> scalars;
  for (const Scalar& s : d.scalars) scalars[s.id] = s.value;
  EXPECT_FLOAT_EQ(static_cast<float>(scalars["max_height"]), 0.5f);
  EXPECT_NEAR(scalars["mean_height"], sum / 12000, 1e-12);
  EXPECT_NEAR(scalars["rms_height"], std::sqrt(squares / 12000), 1e-12);
  ASSERT_EQ(d.curves.size(), 1u);
  ASSERT_EQ(d.curves[0].points.size(), 300u);
  EXPECT_EQ(d.curves[0].points[150].x, 150.5);
  EXPECT_FLOAT_EQ(static_cast<float>(d.curves[0].points[150].y), -0.5f);
  // Without waiting, the last known numbers are returned immediately, and the newer ones soon after.
  t->step(10);
  Diagnostics later = t->diagnostics({}, false);
  for (int k = 0; k < 1000 && later.step != 10; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    later = t->diagnostics({}, false);
  }
  EXPECT_EQ(later.step, 10);
}

TEST_P(WaveTank, ReportsLocationAndCauseOfInstability) {
  const auto t = tank(64, 64, {{"time_step", 0.9}});
  EXPECT_GT(t->gauges()[0].value, t->gauges()[0].limit);
  t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
  t->step(2000);
  const Diagnostics d = t->diagnostics({}, true);
  EXPECT_FALSE(d.finite);
  EXPECT_TRUE(says(d.error.english(), "c·dt/dx is 0.9")) << d.error.english();
  EXPECT_TRUE(says(d.error.english(), "Lower the time step")) << d.error.english();

  // The first bad cell, counted row by row from the bottom: finite heights that overflow in one step.
  const auto still = tank(64, 64);
  State state = still->save();
  std::vector<float> u(64 * 64), u_previous(64 * 64);
  for (const int cell : {20 * 64 + 37, 20 * 64 + 41, 50 * 64 + 3}) {
    u[static_cast<std::size_t>(cell)] = std::numeric_limits<float>::max();
    u_previous[static_cast<std::size_t>(cell)] = -std::numeric_limits<float>::max();
  }
  state.put<float>("u", {64, 64}, "height", u);
  state.put<float>("u_previous", {64, 64}, "height", u_previous);
  still->load(state);
  EXPECT_TRUE(still->diagnostics({}, true).finite);
  still->step(1);
  EXPECT_TRUE(says(still->diagnostics({}, true).error.english(), "column 37, row 20"))
      << still->diagnostics({}, true).error.english();
}

TEST_P(WaveTank, RejectsInvalidSetups) {
  EXPECT_TRUE(says(error_thrown_by([&] { tank(-3, 20); }), "1 to 65536 cells"));
  EXPECT_TRUE(says(error_thrown_by([&] { tank(70000, 20); }), "1 to 65536 cells"));
  EXPECT_TRUE(says(error_thrown_by([&] { tank(20, 20, {{"wave_sped", 1}}); }), "wave_speed"));
  EXPECT_TRUE(says(error_thrown_by([&] { tank(20, 20, {{"damping", -1}}); }), "damping"));
  if (backend().free_memory() < (std::size_t{60} << 30)) {  // not on machines with enough memory for it
    const std::string huge = error_thrown_by([&] { tank(65536, 65536, {{"precision", 1}}); });
    EXPECT_TRUE(says(huge, backend().is_cuda() ? "needs 128 GiB" : "needs 64.0 GiB") && says(huge, "are free")) << huge;
  }
  const auto t = tank(20, 20);
  EXPECT_THROW(t->select_kernel("fussed"), InputError);
  EXPECT_THROW(t->set_parameter("precision", 1), InputError);
  EXPECT_THROW(t->apply(act("mode", {{"m", 1.5}})), InputError);
  t->set_parameter("boundary_left", number_of(Boundary::absorbing));
  EXPECT_THROW(t->apply(act("mode", {{"m", 1}})), InputError);
  ViewSettings view;
  view.quantity = "heigth";
  EXPECT_TRUE(says(error_thrown_by([&] { t->value_at(0.5, 0.5, view); }), "height"));
}

TEST_P(WaveTank, TinyTanksWork) {
  for (const Boundary sides : {Boundary::fixed, Boundary::free, Boundary::absorbing, Boundary::periodic})
    for (const auto& [width, height] :
         {std::pair(1, 1), std::pair(2, 1), std::pair(1, 7), std::pair(3, 2), std::pair(33, 1)}) {
      const auto t = tank(width, height, all_sides(sides));
      t->apply(act("droplet", {{"x", 0.5}, {"y", 0.5}}));
      if (width * height > 2)
        t->apply(act("wall-line", {{"x0", 0}, {"y0", 0}, {"x1", 0.1}, {"y1", 0.1}, {"thickness", 1}}));
      t->step(30);
      EXPECT_TRUE(t->diagnostics({}, true).finite) << width << " x " << height;
    }
}

TEST_P(WaveTank, StepCostIsTheLowerBound) {
  const auto t = tank(512, 512);
  const double cells = 512.0 * 512;
  EXPECT_DOUBLE_EQ(t->step_cost("fused").bytes, 12 * cells);
  EXPECT_EQ(t->step_cost("fused").rate_unit, "cell/s");
  EXPECT_LT(t->step_cost("temporal").bytes, 8 * cells);
  EXPECT_DOUBLE_EQ(t->step_cost("auto").bytes, t->step_cost("temporal").bytes);
  t->apply(act("wall-line", {{"x0", 0}, {"y0", 0}, {"x1", 0.1}, {"y1", 0.1}}));
  EXPECT_DOUBLE_EQ(t->step_cost("fused").bytes, 16 * cells);
}

}  // namespace
}  // namespace perturb::wave
