// Discs sorted into tiles, compared in double precision with a plain loop over all discs for each pixel.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/math/random.h"
#include "cuda/core/paint/raster_discs.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class RasterDiscs : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(RasterDiscs);

struct DiscFromTable {
  const RasterDisc* discs;
  PERTURB_HD RasterDisc operator()(int i) const { return discs[i]; }
};
struct ChequeredGround {
  PERTURB_HD std::uint32_t operator()(int px, int py) const {
    return rgba((px * 7) & 255, (py * 13) & 255, (px ^ py) & 1 ? 200 : 40);
  }
};

// As documented in raster_discs.h: the mean of the colours by coverage, over the ground.
std::uint32_t plain_disc_pixel(const std::vector<RasterDisc>& discs, int px, int py) {
  double cover = 0, sums[3] = {0, 0, 0};
  for (const RasterDisc& d : discs) {
    const double distance = std::hypot(px + 0.5 - d.x, py + 0.5 - d.y), radius = std::max(0.5, double{d.radius});
    double share = std::clamp(radius + 0.5 - distance, 0., 1.);
    if (!(share > 0)) continue;
    if (d.radius < 4) share *= d.radius * d.radius / (radius * radius + 1. / 12);
    const double into_rim = d.radius > 4 ? std::clamp(distance - 0.92 * d.radius + 0.5, 0., 1.) : 0;
    cover += share;
    for (int c = 0; c < 3; ++c)
      sums[c] += share * std::floor(((d.color >> (8 * c)) & 255) * (1 - 0.38 * into_rim) + 0.5);
  }
  std::uint32_t pixel = 0xff000000u;
  const std::uint32_t ground = ChequeredGround{}(px, py);
  for (int c = 0; c < 3; ++c) {
    const double behind = (ground >> (8 * c)) & 255;
    const double mean = cover >= 1 ? sums[c] / cover : sums[c] + (1 - cover) * behind;
    pixel |= static_cast<std::uint32_t>(mean + 0.5) << (8 * c);
  }
  return pixel;
}

// Two roundings may differ: by one level of a channel.
bool alike(std::uint32_t a, std::uint32_t b) {
  if (a >> 24 != b >> 24) return false;
  for (int shift = 0; shift < 24; shift += 8)
    if (std::abs(static_cast<int>((a >> shift) & 255) - static_cast<int>((b >> shift) & 255)) > 1) return false;
  return true;
}

// Some are outside the image, so that at most an edge is visible.
std::vector<RasterDisc> scattered_discs(int count, int width, int height, float radius) {
  std::vector<RasterDisc> discs(count);
  for (int k = 0; k < count; ++k) {
    const Random4 drawn = philox(5, 0, k);
    const float beyond = 1.5f * radius;
    discs[k].x = uniform_float(drawn.v[0]) * (width + 2 * beyond) - beyond;
    discs[k].y = uniform_float(drawn.v[1]) * (height + 2 * beyond) - beyond;
    discs[k].radius = radius * (0.3f + 0.7f * uniform_float(drawn.v[2]));
    discs[k].color = drawn.v[3] | 0xff000000u;
  }
  return discs;
}

// `radius`: of the largest disc that is not in the list of large ones.
std::vector<std::uint32_t> paint_discs(Backend& backend, DiscRaster& raster, int width, int height,
                                       const std::vector<RasterDisc>& discs, float radius) {
  std::vector<int> large_ones;
  for (std::size_t k = 0; k < discs.size(); ++k)
    if (discs[k].radius > radius) large_ones.push_back(static_cast<int>(k));
  Array<RasterDisc> table(backend, discs.size(), "discs");
  table.upload(discs);
  Array<int> large(backend, large_ones.size(), "large discs");
  large.upload(large_ones);
  Field<std::uint32_t> picture(backend, width, height, "picture");
  const Array<int>& to_read = large;
  raster.paint(backend, "test.discs", picture.view(), static_cast<int>(discs.size()), DiscFromTable{table.data()},
               radius, to_read.view(), ChequeredGround{});
  return picture.download();
}

void expect_discs(Backend& backend, DiscRaster& raster, int width, int height, const std::vector<RasterDisc>& discs,
                  float radius) {
  const std::vector<std::uint32_t> pixels = paint_discs(backend, raster, width, height, discs, radius);
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px)
      ASSERT_PRED2(alike, pixels[py * width + px], plain_disc_pixel(discs, px, py))
          << "pixel " << px << ", " << py << " of " << width << " x " << height << ", " << discs.size()
          << " discs of radius " << radius << ", " << backend.threads() << " threads";
  // The per-pixel version and the row version are bit-identical.
  if (!backend.is_cuda()) return;
  const auto cpu = Backend::make_cpu(2);
  DiscRaster of_cpu;
  ASSERT_EQ(pixels, paint_discs(*cpu, of_cpu, width, height, discs, radius));
}

void paint_sizes(Backend& backend) {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(61, 3), std::pair(67, 35)})
    for (const float radius : {0.2f, 0.5f, 1.7f, 4.f, 6.3f, 70.f}) {
      DiscRaster raster;
      for (const int count : {0, 1, 9, 301})
        expect_discs(backend, raster, width, height, scattered_discs(count, width, height, radius), radius);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(RasterDiscs, CoverWhatAPlainLoopCovers) { paint_sizes(backend()); }

TEST(RasterDiscsThreads, CoverWhatAPlainLoopCovers) { paint_sizes(*Backend::make_cpu(7)); }

// Discs wider than the tiles are in a list; the raster keeps its lists between images.
TEST_P(RasterDiscs, LargeOnesReachOverManyTiles) {
  DiscRaster raster;
  for (const int size : {90, 40, 77}) {
    std::vector<RasterDisc> discs = scattered_discs(200, size, size, 2.f);
    discs[3].radius = 30.f;
    discs[150].radius = 9.f;
    discs[199].radius = 500.f;
    discs[199].x = -480.f;
    expect_discs(backend(), raster, size, size, discs, 2.f);
  }
}

TEST_P(RasterDiscs, SkipNonFinitePositions) {
  std::vector<RasterDisc> discs = scattered_discs(5, 30, 20, 3.f);
  const std::vector<RasterDisc> seen = {discs[0], discs[4]};
  discs[1].x = std::numeric_limits<float>::quiet_NaN();
  discs[2].y = std::numeric_limits<float>::infinity();
  discs[3].x = -1e30f;
  Array<RasterDisc> table(backend(), discs.size(), "discs");
  table.upload(discs);
  Field<std::uint32_t> picture(backend(), 30, 20, "picture");
  DiscRaster raster;
  raster.paint(backend(), "test.discs", picture.view(), 5, DiscFromTable{table.data()}, 3.f, {}, ChequeredGround{});
  const std::vector<std::uint32_t> pixels = picture.download();
  for (int py = 0; py < 20; ++py)
    for (int px = 0; px < 30; ++px) ASSERT_PRED2(alike, pixels[py * 30 + px], plain_disc_pixel(seen, px, py));
}

}  // namespace
}  // namespace perturb
