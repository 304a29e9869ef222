#include "cuda/core/paint/camera.h"

#include <gtest/gtest.h>

namespace perturb {
namespace {

// The camera uses double precision: mapping there and back is exact to this many pixels.
constexpr double pixel_tolerance = 1e-9;

TEST(Camera, FitsTheDomainIntoThePicture) {
  const Camera camera;
  const auto corner = camera.to_pixel(0, 0, 1280, 720, 512, 512);
  EXPECT_NEAR(corner.y, 0, pixel_tolerance);
  EXPECT_NEAR(corner.x, (1280 - 720) / 2.0, pixel_tolerance);
  const auto middle = camera.to_domain(640, 360, 1280, 720, 512, 512);
  EXPECT_NEAR(middle.x, 0.5, 1e-12);
  EXPECT_NEAR(middle.y, 0.5, 1e-12);
}

TEST(Camera, RoundTripsAtAnyZoomAndShape) {
  for (const double zoom : {0.1, 1.0, 3.7, 250.0})
    for (const int width : {1, 641, 2560}) {
      Camera camera;
      camera.zoom = zoom;
      camera.center_x = 0.31;
      camera.center_y = 0.77;
      for (double px = 0; px <= width; px += width / 5.0) {
        const auto d = camera.to_domain(px, 37.5, width, 1440, 300, 100);
        const auto p = camera.to_pixel(d.x, d.y, width, 1440, 300, 100);
        EXPECT_NEAR(p.x, px, pixel_tolerance);
        EXPECT_NEAR(p.y, 37.5, pixel_tolerance);
      }
    }
}

TEST(Camera, ZoomKeepsThePointUnderTheCursor) {
  Camera camera;
  const auto before = camera.to_domain(200, 600, 1280, 720, 512, 256);
  camera.zoom_at(7.5, 200, 600, 1280, 720, 512, 256);
  const auto after = camera.to_domain(200, 600, 1280, 720, 512, 256);
  EXPECT_NEAR(before.x, after.x, 1e-12);
  EXPECT_NEAR(before.y, after.y, 1e-12);
}

TEST(Camera, KernelsAndPointerAgree) {
  Camera camera;
  camera.zoom = 2.5;
  camera.center_x = 0.2;
  const PixelToDomain map = camera.pixel_to_domain(1000, 500, 512, 512);
  for (int px = 0; px < 1000; px += 99) {
    const auto d = camera.to_domain(px + 0.5, 250.5, 1000, 500, 512, 512);
    EXPECT_NEAR(map.x(px), d.x, 1e-6);
    EXPECT_NEAR(map.y(250), d.y, 1e-6);
  }
}

}  // namespace
}  // namespace perturb
