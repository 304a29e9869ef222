// The ground seen by the orbit camera, and the mapping from the image back to the ground.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "cuda/core/paint/orbit.h"

namespace perturb {
namespace {

constexpr double few_roundings = 1e-12;

Camera raised_camera(double yaw, double pitch) {
  Camera camera;
  camera.yaw = yaw * radians_per_degree;
  camera.pitch = pitch * radians_per_degree;
  return camera;
}

TEST(GroundViewTest, RoundTripsGroundPosition) {
  std::mt19937 random{3};
  const auto between = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  for (int trial = 0; trial < 200; ++trial) {
    const GroundView view(raised_camera(between(-180, 180), between(8, 90)), between(1, 900), between(1, 900));
    const Camera::Point place{between(-0.5, 1.5), between(-0.5, 1.5)};
    const Camera::Point back = view.to_ground(view.to_picture(place));
    ASSERT_NEAR(back.x, place.x, 1e-9);
    ASSERT_NEAR(back.y, place.y, 1e-9);
  }
}

TEST(GroundViewTest, FromAboveItIsTheFlatSceneMadeSmaller) {
  const GroundView view(raised_camera(0, 90), 300, 400);
  const double scale = 300. / 500;
  for (const double x : {0., 0.3, 1.})
    for (const double y : {0., 0.8, 1.}) {
      const Camera::Point at = view.to_picture({x, y}, 7);
      EXPECT_NEAR(at.x, 0.5 + scale * (x - 0.5), few_roundings);
      EXPECT_NEAR(at.y, 0.5 + scale * (y - 0.5), few_roundings) << "from above a height is not seen";
    }
}

TEST(GroundViewTest, FartherAndHigherPointsAreHigherInImage) {
  const double width = 200, height = 100;
  const GroundView view(raised_camera(0, 30), width, height);
  const Camera::Point near = view.to_picture({0.5, 0.2}), far = view.to_picture({0.5, 0.8}),
                      hill = view.to_picture({0.5, 0.2}, 10);
  EXPECT_NEAR(far.x, near.x, few_roundings);
  EXPECT_NEAR((far.y - near.y) * height, view.scale() * 0.5 * 0.6 * height, 1e-9);
  EXPECT_NEAR((hill.y - near.y) * height, view.scale() * std::sqrt(0.75) * 10, 1e-9);
  // A quarter turn: what was to the right is now in front of the camera or behind.
  const GroundView turned(raised_camera(90, 30), width, height);
  EXPECT_NEAR(turned.to_picture({0.2, 0.5}).x, 0.5, few_roundings);
  EXPECT_GT(turned.to_picture({0.2, 0.5}).y, turned.to_picture({0.8, 0.5}).y);
}

TEST(GroundViewTest, AllOfItFitsIntoTheWidthHoweverItIsTurned) {
  for (int yaw = -180; yaw <= 180; yaw += 7) {
    const GroundView view(raised_camera(yaw, 40), 768, 512);
    for (const double x : {0., 1.})
      for (const double y : {0., 1.}) {
        EXPECT_GE(view.to_picture({x, y}).x, -few_roundings) << yaw;
        EXPECT_LE(view.to_picture({x, y}).x, 1 + few_roundings) << yaw;
      }
  }
}

TEST(GroundViewTest, RaisesOnlyUnrotatedCamera) {
  Camera camera;
  raise_camera(camera);
  EXPECT_GT(camera.pitch, 20 * radians_per_degree);
  Camera turned = raised_camera(-70, 12);
  raise_camera(turned);
  EXPECT_EQ(turned.pitch, 12 * radians_per_degree);
  EXPECT_EQ(turned.yaw, -70 * radians_per_degree);
  // The camera stays above the ground, because nothing is visible from below.
  const GroundView low(raised_camera(0, -50), 10, 10),
      lowest(raised_camera(0, min_ground_pitch / radians_per_degree), 10, 10);
  EXPECT_EQ(low.sine(), lowest.sine());
}

}  // namespace
}  // namespace perturb
