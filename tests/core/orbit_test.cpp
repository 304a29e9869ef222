#include "cuda/core/paint/orbit.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace perturb {
namespace {

constexpr double right_angle = std::numbers::pi / 2;
// A few roundings of numbers up to 1.
constexpr double rounding = 1e-15;

void expect_near(Vector3<double> got, Vector3<double> expected, double tolerance, const char* axis) {
  EXPECT_NEAR(got.x, expected.x, tolerance) << axis;
  EXPECT_NEAR(got.y, expected.y, tolerance) << axis;
  EXPECT_NEAR(got.z, expected.z, tolerance) << axis;
}
void expect_near(const OrbitAxes& got, const OrbitAxes& expected, double tolerance = rounding) {
  expect_near(got.right, expected.right, tolerance, "right");
  expect_near(got.up, expected.up, tolerance, "up");
  expect_near(got.away, expected.away, tolerance, "away");
}

Vector3<double> cross(Vector3<double> a, Vector3<double> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TEST(Orbit, KnownViews) {
  {
    SCOPED_TRACE("front view");
    expect_near(orbit_axes(0, 0), {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}});
  }
  {
    SCOPED_TRACE("a quarter turn: along -x, with y to the right");
    expect_near(orbit_axes(right_angle, 0), {{0, 1, 0}, {0, 0, 1}, {-1, 0, 0}});
  }
  {
    SCOPED_TRACE("from behind");
    expect_near(orbit_axes(2 * right_angle, 0), {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}});
  }
  {
    SCOPED_TRACE("a quarter turn the other way");
    expect_near(orbit_axes(-right_angle, 0), {{0, -1, 0}, {0, 0, 1}, {1, 0, 0}});
  }
  {
    SCOPED_TRACE("from above: down, with what lay before now above");
    expect_near(orbit_axes(0, highest_pitch), {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}});
  }
  {
    SCOPED_TRACE("from beneath");
    expect_near(orbit_axes(0, -highest_pitch), {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}});
  }
  {
    SCOPED_TRACE("from above and a quarter turn");
    expect_near(orbit_axes(right_angle, highest_pitch), {{0, 1, 0}, {-1, 0, 0}, {0, 0, -1}});
  }
}

TEST(Orbit, TheClosedFormAtAnyAngle) {
  std::mt19937 random(5);
  std::uniform_real_distribution<> around(-7, 7), above(-highest_pitch, highest_pitch);
  for (int trial = 0; trial < 1000; ++trial) {
    const double yaw = around(random), pitch = above(random);
    const double cy = std::cos(yaw), sy = std::sin(yaw), cp = std::cos(pitch), sp = std::sin(pitch);
    SCOPED_TRACE(testing::Message() << "yaw " << yaw << ", pitch " << pitch);
    expect_near(orbit_axes(yaw, pitch), {{cy, sy, 0}, {-sp * sy, sp * cy, cp}, {-cp * sy, cp * cy, -sp}});
  }
}

TEST(Orbit, AxesAreOfLengthOneAtRightAnglesAndRightHanded) {
  std::mt19937 random(6);
  std::uniform_real_distribution<> around(-7, 7), above(-highest_pitch, highest_pitch);
  for (int trial = 0; trial < 1000; ++trial) {
    const OrbitAxes e = orbit_axes(around(random), above(random));
    for (const Vector3<double>& axis : {e.right, e.up, e.away}) ASSERT_NEAR(dot(axis, axis), 1, rounding);
    ASSERT_NEAR(dot(e.right, e.up), 0, rounding);
    ASSERT_NEAR(dot(e.right, e.away), 0, rounding);
    ASSERT_NEAR(dot(e.up, e.away), 0, rounding);
    expect_near(cross(e.right, e.away), e.up, rounding, "right, away and up turn as x, y and z");
    ASSERT_EQ(e.right.z, 0) << "the horizon stays level";
  }
}

TEST(Orbit, NearViewsHaveNearAxesAtThePoleToo) {
  // A rotation by this angle moves no point of a unit axis farther; a view computed from directions would spin at the
  // pole.
  const double small = 1e-9;
  for (const double yaw : {-3.0, -0.7, 0.0, 1.0, right_angle, 3.1}) {
    const OrbitAxes top = orbit_axes(yaw, highest_pitch);
    expect_near(orbit_axes(yaw, highest_pitch - small), top, small + rounding);
    expect_near(orbit_axes(yaw + small, highest_pitch), top, small + rounding);
    const OrbitAxes bottom = orbit_axes(yaw, -highest_pitch);
    expect_near(orbit_axes(yaw, small - highest_pitch), bottom, small + rounding);
  }
}

TEST(Orbit, TurnsGoRoundAndStopAtThePoles) {
  Camera camera;
  turn_orbit(camera, 0.25, -0.5);
  EXPECT_EQ(camera.yaw, 0.25);
  EXPECT_EQ(camera.pitch, -0.5);
  for (int k = 0; k < 100; ++k) {
    turn_orbit(camera, 0.5, 0.1);
    EXPECT_LE(std::abs(camera.yaw), 2 * right_angle);
  }
  EXPECT_NEAR(std::cos(camera.yaw), std::cos(50.25), 1e-13) << "a hundred sums";
  EXPECT_NEAR(std::sin(camera.yaw), std::sin(50.25), 1e-13);
  EXPECT_EQ(camera.pitch, highest_pitch);
  turn_orbit(camera, 0, -100);
  EXPECT_EQ(camera.pitch, -highest_pitch);
  EXPECT_EQ(camera.center_x, 0.5);
  EXPECT_EQ(camera.zoom, 1);
}

}  // namespace
}  // namespace perturb
