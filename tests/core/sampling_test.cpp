#include "cuda/core/paint/sampling.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/reach.h"

namespace perturb {
namespace {

// A field whose value encodes its position: 10·j + i.
struct PositionActions {
  float operator()(int i, int j) const { return 10.f * static_cast<float>(j) + static_cast<float>(i); }
};
constexpr int width = 8, height = 6;

TEST(Sampling, NearestTakesTheCellThePointLiesIn) {
  EXPECT_EQ(sample_nearest(PositionActions{}, width, height, {3.2f, 2.9f}), 23.f);
  EXPECT_EQ(sample_nearest(PositionActions{}, width, height, {-1.f, 9.f}), 50.f);
}

TEST(Sampling, LinearEqualsCellsAtCentres) {
  EXPECT_FLOAT_EQ(sample_linear(PositionActions{}, width, height, {3.5f, 2.5f}), 23.f);
  EXPECT_FLOAT_EQ(sample_linear(PositionActions{}, width, height, {4.f, 2.75f}), 26.f);
  EXPECT_FLOAT_EQ(sample_linear(PositionActions{}, width, height, {0.1f, 0.1f}),
                  0.f);  // constant beyond the outermost centres
  EXPECT_FLOAT_EQ(sample_linear(PositionActions{}, width, height, {7.9f, 5.9f}), 57.f);
}

TEST(Sampling, ManyCellsInAPixelAreAveraged) {
  // The whole field in one pixel of 4 x 3 cells each.
  const PixelSampler sampler({0, 0, 0.5f, 0.5f}, width, height, true);
  EXPECT_TRUE(sampler.minified());
  EXPECT_FLOAT_EQ(sampler.value(0, 0, PositionActions{}), 11.5f);  // columns 0..3, rows 0..2
  EXPECT_FLOAT_EQ(sampler.value(1, 1, PositionActions{}), 45.5f);
}

TEST(Sampling, PixelRunIsBitIdenticalToSinglePixels) {
  for (const bool smooth : {false, true})
    for (const float zoom : {0.4f, 1.f, 2.7f, 90.f}) {
      constexpr int count = 701;
      Camera camera;
      camera.center_x = 0.31;
      camera.center_y = 0.72;
      camera.zoom = zoom;
      const PixelSampler sampler(camera.pixel_to_domain(count, 400, width, height), width, height, smooth);
      for (const int py : {0, 57, 123, 200, 399}) {
        const PixelSampler::Span span = sampler.inside(count, py);
        for (int px = 0; px < count; ++px)
          ASSERT_EQ(sampler.inside(sampler.point(px, py)), px >= span.begin && px < span.end) << px << " zoom " << zoom;
        std::vector<float> run(count);
        sampler.values(span.begin, span.end, py, PositionActions{}, run.data());
        for (int px = span.begin; px < span.end; ++px)
          ASSERT_EQ(run[static_cast<std::size_t>(px - span.begin)], sampler.value(px, py, PositionActions{}))
              << px << " zoom " << zoom;
      }
    }
}

// One cell in three is 1.
struct Third {
  float operator()(int i, int j) const { return (i + j) % 3 == 0 ? 1.f : 0.f; }
};

TEST(Sampling, PixelRunOverSeveralCellsIsBitIdentical) {
  constexpr int count = 333, cells = 1500;
  for (const float zoom : {0.6f, 1.3f, 3.f, 20.f}) {
    Camera camera;
    camera.center_x = 0.31;
    camera.center_y = 0.72;
    camera.zoom = zoom;
    const PixelSampler sampler(camera.pixel_to_domain(count, 200, cells, 700), cells, 700, true);
    EXPECT_EQ(sampler.minified(), zoom < 20);
    for (const int py : {0, 57, 150, 199}) {
      const PixelSampler::Span span = sampler.inside(count, py);
      std::vector<float> values(count), shares(count);
      sampler.values(span.begin, span.end, py, PositionActions{}, values.data());
      sampler.shares(span.begin, span.end, py, Third{}, shares.data());
      for (int px = span.begin; px < span.end; ++px) {
        const auto k = static_cast<std::size_t>(px - span.begin);
        ASSERT_EQ(values[k], sampler.value(px, py, PositionActions{})) << px << " zoom " << zoom;
        ASSERT_EQ(shares[k], sampler.average(sampler.point(px, py), Third{})) << px << " zoom " << zoom;
      }
    }
  }
}

struct Noise {
  float operator()(int i, int j) const {
    const auto bits =
        static_cast<std::uint32_t>(i) * 2654435761u ^ static_cast<std::uint32_t>(j) * 40503u * 2246822519u;
    return static_cast<float>(bits >> 8) / 16777216.f;
  }
};

// By the definition: the integral over the part of the pixel that is in the grid, over that part's area.
double mean_over_pixel(const PixelToDomain& map, int px, int py, int cells) {
  const auto part = [](double low, double length, int cell) {
    return std::max(0.0, std::min(low + length, cell + 1.0) - std::max(low, double(cell)));
  };
  const double dx = double{map.dx} * cells, dy = double{map.dy} * cells;
  const double left = double{map.x0} * cells + px * dx, low = double{map.y0} * cells + py * dy;
  double sum = 0, area = 0;
  for (int j = std::max(0, int(low)); j < std::min(cells, int(low + dy) + 1); ++j)
    for (int i = std::max(0, int(left)); i < std::min(cells, int(left + dx) + 1); ++i) {
      const double share = part(left, dx, i) * part(low, dy, j);
      sum += share * static_cast<double>(Noise{}(i, j));
      area += share;
    }
  return sum / area;
}

TEST(Sampling, PixelIsTheMeanOfItsCells) {
  const double tolerance = 2e-4;  // the place of a pixel's edge in single precision, times the cells at it
  for (const int cells : {300, 1000, 2048, reach(8192, 3000)})
    for (const float zoom : {0.3f, 0.77f, 1.f, 1.9f}) {
      Camera camera;
      camera.center_x = 0.47f;
      camera.zoom = zoom;
      const int across = 213, up = 120;
      const PixelToDomain map = camera.pixel_to_domain(across, up, cells, cells);
      const PixelSampler sampler(map, cells, cells, true);
      if (!sampler.minified()) continue;
      for (int py = 0; py < up; py += 17)
        for (int px = 0; px < across; px += 13)
          if (sampler.inside(sampler.point(px, py))) {
            ASSERT_NEAR(static_cast<double>(sampler.value(px, py, Noise{})), mean_over_pixel(map, px, py, cells),
                        tolerance)
                << cells << " cells, zoom " << zoom << ", pixel " << px << ", " << py;
          }
    }
}

TEST(Sampling, MeanOfEqualCellsIsExactForOnes) {
  for (const float zoom : {0.31f, 0.8f, 1.3f}) {
    Camera camera;
    camera.zoom = zoom;
    const PixelSampler sampler(camera.pixel_to_domain(200, 113, 3001, 2003), 3001, 2003, true);
    for (int py = 0; py < 113; ++py)
      for (int px = 0; px < 200; ++px)
        if (const GridPoint p = sampler.point(px, py); sampler.inside(p)) {
          ASSERT_EQ(sampler.average(p, [](int, int) { return 1.f; }), 1.f) << px << ", " << py;
        }
  }
}

}  // namespace
}  // namespace perturb
