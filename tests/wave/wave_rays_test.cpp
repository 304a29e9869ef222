// Snell's law: rays through a speed map, and wave directions compared with them.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/wave/measure/theory.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"
#include "tests/wave/wave_tank.h"

namespace perturb::wave {
namespace {

constexpr double per_degree = std::numbers::pi / 180;

class WaveRaysTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(WaveRaysTest);

std::unique_ptr<Simulation> refracting_tank(Backend& backend, double factor, double amplitude = 0.1) {
  auto parameters = all_sides(Boundary::absorbing);
  parameters["time_step"] = 0.5;
  parameters["damping"] = 0;
  parameters["sponge_width"] = 40;
  auto tank = wave_tank(backend, 300, 240, parameters);
  tank->apply(act("line-source",
                  {{"x0", 0.2}, {"y0", 0}, {"x1", 0.2}, {"y1", 1}, {"frequency", 0.1}, {"amplitude", amplitude}}));
  tank->apply(act("speed-rectangle", {{"x0", 0.5}, {"y0", 0}, {"x1", 1}, {"y1", 1}, {"factor", factor}}));
  return tank;
}

// At a straight edge the component of the wave vector along it is conserved, and its length is 1/factor, down to the
// smallest angle.
TEST(WaveRay, KeepsSnellsLawAtAnEdge) {
  const int width = 400, height = 400;
  for (const double factor : {0.5, 0.8, 1.25})
    for (const double degrees : {5., 30., 50.}) {
      std::vector<float> map(static_cast<std::size_t>(width) * height, 1.f);
      for (int j = 0; j < height; ++j)
        for (int i = width / 2; i < width; ++i)
          map[static_cast<std::size_t>(j) * width + i] = static_cast<float>(factor);
      const Slowness slowness(map, width, height, 12);
      const double dx = std::cos(degrees * per_degree), dy = std::sin(degrees * per_degree);
      const auto ray = wave_ray(slowness, 100, 30, dx, dy, 12, {0, 400, 0, 400});
      ASSERT_TRUE(ray) << factor << " " << degrees;
      EXPECT_NEAR(ray->before.py, dy, 1e-9);
      EXPECT_NEAR(ray->behind.py, dy, 1e-6);
      EXPECT_NEAR(std::hypot(ray->behind.px, ray->behind.py) * factor, 1, 5e-4);
      // The travel time; the smoothing of the edge changes it slightly.
      const double straight = (200 - 100) / dx, then = (ray->behind.x - 200) / ray->behind.px / factor / factor;
      EXPECT_NEAR(ray->optical_length / (straight + then), 1, 0.04) << factor << " " << degrees;
      EXPECT_NEAR(ray->middle_x, 200, 5);
    }
}

// Beyond the critical angle, arcsin(0.8) = 53 degrees, the ray is reflected.
TEST(WaveRay, IsThrownBackBeyondTheCriticalAngle) {
  const int width = 300, height = 600;
  std::vector<float> map(static_cast<std::size_t>(width) * height, 1.f);
  for (int j = 0; j < height; ++j)
    for (int i = width / 2; i < width; ++i) map[static_cast<std::size_t>(j) * width + i] = 1.25f;
  const Slowness slowness(map, width, height, 12);
  for (const double degrees : {48., 58.}) {
    const double dx = std::cos(degrees * per_degree), dy = std::sin(degrees * per_degree);
    const auto ray = wave_ray(slowness, 60, 20, dx, dy, 12, {0, 300, 0, 600});
    ASSERT_TRUE(ray);
    EXPECT_EQ(ray->behind.px > 0, degrees < 53) << degrees;
    EXPECT_NEAR(ray->behind.py, dy, 1e-6);
  }
}

TEST(WaveRay, ThereIsNoneInEvenWaterOrWithoutRoom) {
  std::vector<float> map(200 * 100, 1.f);
  EXPECT_FALSE(wave_ray({map, 200, 100, 10}, 20, 50, 1, 0, 10, {0, 200, 0, 100}));
  for (int j = 0; j < 100; ++j)
    for (int i = 30; i < 200; ++i) map[static_cast<std::size_t>(j) * 200 + i] = 0.7f;
  EXPECT_FALSE(wave_ray({map, 200, 100, 10}, 25, 50, 1, 0, 10, {0, 200, 0, 100})) << "the source is too near";
  EXPECT_FALSE(wave_ray({map, 200, 100, 10}, -5, 50, 1, 0, 10, {0, 200, 0, 100})) << "outside of the tank";
}

TEST(WaveRay, LinesIntersectWhereTheyCross) {
  std::vector<RayPoint> lines;
  for (const double y : {-20., -5., 8., 30.}) lines.push_back({10, y, 90, 7 - y});  // all through (100, 7)
  const auto intersection = intersection_of(lines);
  ASSERT_TRUE(intersection);
  EXPECT_NEAR(intersection->x, 100, 1e-9);
  EXPECT_NEAR(intersection->y, 7, 1e-9);
  for (RayPoint& line : lines) {
    line.px = -line.px;
    line.py = -line.py;
  }
  EXPECT_FALSE(intersection_of(lines)) << "they come from there";
  for (RayPoint& line : lines) {
    line.px = 1;
    line.py = 0.2;
  }
  EXPECT_FALSE(intersection_of(lines)) << "parallel";
}

TEST_P(WaveRaysTest, WavesAreRefractedByTheRightAngle) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const TheoryCheck& check : {check_refraction(backend()), check_lens_rays(), check_focus(backend())})
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got;
}

// The values shown in the scene: both directions and their error.
TEST_P(WaveRaysTest, SceneReportsBothDirections) {
  SKIP_AT_SMALL_REACH("tables and figures of a study; its parts have tests");
  const auto scene = load_scene("wave/refraction");
  const auto tank = wave_simulation().create(backend(), scene.setup);
  EXPECT_FALSE(has_value(scalar(*tank, "direction_after"))) << "no wave has come yet";
  const double theory = scalar(*tank, "direction_after_theory");
  EXPECT_NEAR(std::sin(theory * per_degree) / std::sin(scalar(*tank, "direction_before_theory") * per_degree), 0.7,
              1e-3);
  tank->step(1600);
  EXPECT_NEAR(scalar(*tank, "direction_before"), scalar(*tank, "direction_before_theory"), 0.2);
  EXPECT_NEAR(scalar(*tank, "direction_after"), theory, 0.3);
  EXPECT_LT(scalar(*tank, "direction_error"), 1.5);
  const Diagnostics d = tank->diagnostics(scene.view, true);
  for (const char* id : {"focus", "focus_theory"}) EXPECT_EQ(d.scalar(id), nullptr) << "parallel rays do not meet";
  for (const Curve& curve : d.curves)
    if (curve.id == "directions") {
      EXPECT_EQ(curve.points.size(), curve.theory.size());
      EXPECT_EQ(curve.points.size(), 9u);
    }
}

// The measured direction of a wave depends neither on its height nor on the phase at which it is measured.
TEST_P(WaveRaysTest, HeightAndMomentDoNotMatter) {
  const auto low = refracting_tank(backend(), 0.7, 0.01), high = refracting_tank(backend(), 0.7, 1);
  low->step(1000);
  high->step(1000);
  EXPECT_NEAR(scalar(*low, "direction_after"), scalar(*high, "direction_after"), 2e-3);
  const double first = scalar(*high, "direction_after");
  for (int k = 0; k < 5; ++k) {
    high->step(3);
    EXPECT_NEAR(scalar(*high, "direction_after"), first, 0.05);
  }
}

TEST_P(WaveRaysTest, FollowsTheWaterAndSaysNothingWhereItCannot) {
  const auto tank = refracting_tank(backend(), 0.7);
  EXPECT_EQ(tank->diagnostics({}, true).scalar("focus_theory"), nullptr) << "an edge has no focus";
  // A lens in uniform water instead of the edge; a reloaded state reports the same values.
  tank->apply(act("clear-speed"));
  EXPECT_EQ(tank->diagnostics({}, true).scalar("focus_theory"), nullptr) << "even water refracts nothing";
  tank->apply(act("speed-ellipse", {{"x", 0.45}, {"y", 0.5}, {"radius_x", 0.07}, {"radius_y", 0.4}, {"factor", 0.7}}));
  tank->step(700);
  const double focus = scalar(*tank, "focus_theory"), measured = scalar(*tank, "focus");
  EXPECT_GT(focus, 50);
  EXPECT_GT(measured, 0);
  const State state = tank->save();
  const auto copy = tank->copy_state();
  tank->apply(act("wall-line", {{"x0", 0.8}, {"y0", 0.1}, {"x1", 0.8}, {"y1", 0.2}}));
  EXPECT_EQ(tank->diagnostics({}, true).scalar("focus_theory"), nullptr) << "a wall throws waves back";
  tank->restore(*copy);
  EXPECT_EQ(scalar(*tank, "focus_theory"), focus);
  EXPECT_EQ(scalar(*tank, "focus"), measured);
  tank->apply(act("oscillator", {{"x", 0.5}, {"y", 0.5}}));
  EXPECT_EQ(tank->diagnostics({}, true).scalar("focus_theory"), nullptr) << "two sources";
  tank->load(state);
  EXPECT_EQ(scalar(*tank, "focus_theory"), focus);
  EXPECT_EQ(scalar(*tank, "focus"), measured);
}

}  // namespace
}  // namespace perturb::wave
