// Capsules found through tiles, compared in double precision with a plain loop over all capsules for each pixel.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/math/random.h"
#include "cuda/core/paint/raster_capsules.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class RasterCapsules : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(RasterCapsules);

struct SlopingGround {
  PERTURB_HD std::uint32_t operator()(int px, int py) const { return rgba((px * 3) & 255, (py * 5) & 255, 90); }
};

struct CapsuleLayer {
  double depth, cover, color[3];
};

// The nearest four that cover the pixel, composited in order of depth over the ground.
std::uint32_t plain_capsule_pixel(const std::vector<Capsule>& capsules, int px, int py) {
  const double x = px + 0.5, y = py + 0.5;
  std::vector<CapsuleLayer> layers;
  for (const Capsule& c : capsules) {
    if (!(c.radius > 0) || x < c.left || x > c.right) continue;
    const double dx = double{c.x1} - c.x0, dy = double{c.y1} - c.y0, length2 = dx * dx + dy * dy;
    const double along = length2 > 0 ? std::clamp(((x - c.x0) * dx + (y - c.y0) * dy) / length2, 0., 1.) : 0;
    double nx = x - c.x0 - along * dx, ny = y - c.y0 - along * dy;
    const double distance = std::hypot(nx, ny), cover = std::min(1., c.radius + 0.5 - distance);
    if (!(cover > 0)) continue;
    const double from_axis = std::max(distance, double{c.radius});  // beyond the edge the normal lies in the image
                                                                    // plane
    nx /= from_axis;
    ny /= from_axis;
    const double nz = std::sqrt(std::max(0., 1 - nx * nx - ny * ny));
    const double light = std::max(0., -0.42 * nx + 0.50 * ny + 0.757 * nz);
    CapsuleLayer layer{c.z0 + along * (double{c.z1} - c.z0) - nz * c.radius, cover, {}};
    for (int k = 0; k < 3; ++k)
      layer.color[k] = std::min(
          255., ((c.color >> (8 * k)) & 255) * (0.38 + 0.72 * light) + (light > 0.94 ? 260 * (light - 0.94) : 0));
    layers.push_back(layer);
  }
  std::stable_sort(layers.begin(), layers.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; });
  if (layers.size() > 4) layers.resize(4);
  std::uint32_t pixel = 0xff000000u;
  for (int k = 0; k < 3; ++k) {
    double value = 0, rest = 1;
    for (const CapsuleLayer& layer : layers) {
      value += rest * layer.cover * layer.color[k];
      rest *= 1 - layer.cover;
    }
    value += rest * ((SlopingGround{}(px, py) >> (8 * k)) & 255);
    pixel |= static_cast<std::uint32_t>(std::clamp(value, 0., 255.) + 0.5) << (8 * k);
  }
  return pixel;
}

// Two roundings may differ: by one level of a channel.
bool nearly(std::uint32_t a, std::uint32_t b) {
  if (a >> 24 != b >> 24) return false;
  for (int shift = 0; shift < 24; shift += 8)
    if (std::abs(static_cast<int>((a >> shift) & 255) - static_cast<int>((b >> shift) & 255)) > 1) return false;
  return true;
}

std::vector<Capsule> scattered_capsules(int count, int width, int height, float length, float radius) {
  std::vector<Capsule> capsules(count);
  for (int k = 0; k < count; ++k) {
    const Random4 a = philox(11, 0, k), b = philox(11, 1, k);
    Capsule& c = capsules[k];
    c.x0 = (1.4f * uniform_float(a.v[0]) - 0.2f) * width;
    c.y0 = (1.4f * uniform_float(a.v[1]) - 0.2f) * height;
    c.z0 = 1000.f * uniform_float(a.v[2]);
    c.x1 = c.x0 + length * (uniform_float(b.v[0]) - 0.5f);
    c.y1 = c.y0 + length * (uniform_float(b.v[1]) - 0.5f);
    c.z1 = c.z0 + length * (uniform_float(b.v[2]) - 0.5f);
    c.radius = radius * (0.3f + 0.7f * uniform_float(a.v[3]));
    c.left = 0;
    c.right = static_cast<float>(width);
    c.color = b.v[3] | 0xff000000u;
  }
  return capsules;
}

std::vector<std::uint32_t> paint_table(Backend& backend, CapsuleRaster& raster, int width, int height,
                                       const std::vector<Capsule>& capsules) {
  Array<Capsule> table(backend, capsules.size(), "capsules");
  table.upload(capsules);
  Field<std::uint32_t> picture(backend, width, height, "picture");
  raster.paint(picture.view(), table.data(), static_cast<int>(capsules.size()), SlopingGround{});
  return picture.download();
}

void expect_capsules(Backend& backend, CapsuleRaster& raster, int width, int height,
                     const std::vector<Capsule>& capsules) {
  const std::vector<std::uint32_t> pixels = paint_table(backend, raster, width, height, capsules);
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px)
      ASSERT_PRED2(nearly, pixels[py * width + px], plain_capsule_pixel(capsules, px, py))
          << "pixel " << px << ", " << py << " of " << width << " x " << height << ", " << capsules.size()
          << " capsules, " << backend.threads() << " threads";
  // The per-pixel version and the row version are bit-identical.
  if (!backend.is_cuda()) return;
  const auto cpu = Backend::make_cpu(2);
  CapsuleRaster of_cpu(*cpu);
  ASSERT_EQ(pixels, paint_table(*cpu, of_cpu, width, height, capsules));
}

void paint_capsules(Backend& backend) {
  CapsuleRaster raster(backend);
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(16, 17), std::pair(95, 50)})
    for (const float radius : {0.6f, 3.f, 25.f})
      for (const int count : {0, 1, 8, 120}) {
        expect_capsules(backend, raster, width, height, scattered_capsules(count, width, height, 40.f, radius));
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST_P(RasterCapsules, CoverWhatAPlainLoopCovers) { paint_capsules(backend()); }

TEST(RasterCapsulesThreads, CoverWhatAPlainLoopCovers) { paint_capsules(*Backend::make_cpu(7)); }

// A tile's list holds sixty: a tile with more uses the list of its row.
TEST_P(RasterCapsules, InCrowdsAreAllLookedAt) {
  CapsuleRaster raster(backend());
  for (const int count : {59, 60, 61, 200}) {
    std::vector<Capsule> capsules = scattered_capsules(count, 16, 16, 5.f, 2.f);
    for (Capsule& c : capsules) {  // within the second tile
      c.x0 = 17.f + 0.8f * std::clamp(c.x0, 0.f, 16.f);
      c.y0 = std::clamp(c.y0, 1.f, 15.f);
      c.x1 = c.x0 + 1.f;
      c.y1 = c.y0;
      c.right = 60.f;
    }
    // The nearest is the last one.
    capsules.back() = {20.f, 3.f, -9.f, 31.f, 12.f, -9.f, 2.f, 0.f, 60.f, rgba(255, 0, 0)};
    expect_capsules(backend(), raster, 60, 20, capsules);
  }
}

TEST_P(RasterCapsules, KeepToTheirColumnsAndMayBeNothing) {
  std::vector<Capsule> capsules = scattered_capsules(60, 80, 40, 50.f, 6.f);
  for (std::size_t k = 0; k < capsules.size(); ++k) {
    Capsule& c = capsules[k];
    if (k % 3 == 0) c.left = 33.f;
    if (k % 3 == 1) c.right = 33.f;
    if (k % 7 == 0) c.radius = k % 2 == 0 ? 0.f : -2.f;
    if (k % 5 == 0) {  // a ball
      c.x1 = c.x0;
      c.y1 = c.y0;
      c.z1 = c.z0;
    }
  }
  CapsuleRaster raster(backend());
  expect_capsules(backend(), raster, 80, 40, capsules);
}

}  // namespace
}  // namespace perturb
