#include "cuda/core/paint/image_cells.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

GreyImage counted_image(int width, int height) {
  GreyImage image{width, height, {}};
  for (int k = 0; k < width * height; ++k) image.values.push_back(static_cast<float>(k * 37 % 64) / 64);
  return image;
}

TEST(ImageCells, EqualPixelsAtGridSize) {
  const GreyImage image = counted_image(7, 5);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 7; ++i) {
      EXPECT_EQ(image_smoothed(image, {7, 5}, i, j), image.values[j * 7 + i]);
      EXPECT_EQ(image_in_pixels(image, {7, 5}, i, j), image.values[j * 7 + i]);
    }
}

// Values are multiples of 1/64, whose sums are exact.
TEST(ImageCells, AverageWholePixels) {
  const GreyImage image = counted_image(12, 6);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int y = 2 * j; y < 2 * j + 2; ++y)
        for (int x = 4 * i; x < 4 * i + 4; ++x) sum += image.values[y * 12 + x];
      EXPECT_EQ(image_smoothed(image, {3, 3}, i, j), sum / 8);
      EXPECT_EQ(image_in_pixels(image, {3, 3}, i, j), sum / 8);
    }
}

TEST(ImageCells, FinerThanPixelsAreSmoothOrKeepTheirSquares) {
  const GreyImage ramp{2, 1, {0.f, 1.f}};
  const double expected[] = {0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1};
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(image_smoothed(ramp, {8, 3}, i, 1), expected[i], 1e-15) << i;
    EXPECT_EQ(image_in_pixels(ramp, {8, 3}, i, 1), i < 4 ? 0 : 1) << i;
  }
}

using WallBytes = std::vector<std::uint8_t>;

TEST(ImageCells, CloseWallsThatTouchAtACorner) {
  WallBytes wall = {1, 0, 0, 0,  //
                    0, 1, 0, 0,  //
                    0, 0, 1, 0};
  EXPECT_EQ(close_corners(wall, {4, 3}, false, false), 2);
  const WallBytes closed = {1, 1, 0, 0,  //
                            0, 1, 1, 0,  //
                            0, 0, 1, 0};
  EXPECT_EQ(wall, closed);
  EXPECT_EQ(close_corners(wall, {4, 3}, false, false), 0) << "no corner is left";
  // Walls without such corners are unchanged.
  WallBytes corner = {1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
  const WallBytes before = corner;
  EXPECT_EQ(close_corners(corner, {4, 3}, false, false), 0);
  EXPECT_EQ(corner, before);
}

TEST(ImageCells, CloseCornersAcrossPeriodicSidesAlone) {
  const WallBytes walls = {0, 0, 0, 1,  // touches the first cell of the row above across the side
                           1, 0, 0, 0,  //
                           0, 0, 0, 0};
  WallBytes wall = walls;
  EXPECT_EQ(close_corners(wall, {4, 3}, false, true), 0);
  EXPECT_EQ(wall, walls);
  EXPECT_EQ(close_corners(wall, {4, 3}, true, false), 1);
  EXPECT_EQ(wall[0], 1);
}

TEST(ImageCells, CloseAllCornersOfRandomWalls) {
  for (const bool wraps : {false, true})
    for (const unsigned percent : {5u, 20u}) {
      std::mt19937 random(percent);
      constexpr int width = 40, height = 30;
      WallBytes wall(width * height);
      for (std::uint8_t& b : wall) b = random() % 100 < percent;
      const WallBytes drawn = wall;
      const auto closed = close_corners(wall, {width, height}, wraps, wraps);
      EXPECT_GT(closed, 0);
      EXPECT_EQ(std::count(wall.begin(), wall.end(), 1) - std::count(drawn.begin(), drawn.end(), 1), closed);
      const auto at = [&](int i, int j) { return wall[static_cast<std::size_t>(j % height * width + i % width)] != 0; };
      for (int j = 0; j < (wraps ? height : height - 1); ++j)
        for (int i = 0; i < (wraps ? width : width - 1); ++i) {
          const bool a = at(i, j), b = at(i + 1, j), c = at(i, j + 1), d = at(i + 1, j + 1);
          EXPECT_FALSE(a == d && b == c && a != b) << i << ", " << j;
        }
    }
}

}  // namespace
}  // namespace perturb
