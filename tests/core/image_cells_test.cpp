#include "cuda/core/paint/image_cells.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/reach.h"

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
      EXPECT_EQ(image_smoothed(image, {7, 5}, i, j, false, false), image.values[j * 7 + i]);
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
      EXPECT_EQ(image_smoothed(image, {3, 3}, i, j, false, false), sum / 8);
      EXPECT_EQ(image_in_pixels(image, {3, 3}, i, j), sum / 8);
    }
}

TEST(ImageCells, FinerThanPixelsAreSmoothOrKeepTheirSquares) {
  const GreyImage ramp{2, 1, {0.f, 1.f}};
  const double expected[] = {0, 0, 0.125, 0.375, 0.625, 0.875, 1, 1};
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(image_smoothed(ramp, {8, 3}, i, 1, false, false), expected[i], 1e-15) << i;
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

GreyImage white_image(int width, int height) {
  return {width, height, std::vector<float>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 1.f)};
}
// A line whose pixels touch at least at corners.
void draw_line(GreyImage& image, double x0, double y0, double x1, double y1, int thickness) {
  const int steps = 2 + static_cast<int>(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0)));
  for (int k = 0; k <= steps; ++k)
    for (int b = 0; b < thickness; ++b)
      for (int a = 0; a < thickness; ++a) {
        const int x = static_cast<int>(x0 + (x1 - x0) * k / steps) + a,
                  y = static_cast<int>(y0 + (y1 - y0) * k / steps) + b;
        if (x >= 0 && y >= 0 && x < image.width && y < image.height)
          image.values[static_cast<std::size_t>(y * image.width + x)] = 0.f;
      }
}
// The cells that water reaches from this one, also over corners where the nine-point stencil reads.
std::vector<std::uint8_t> reached_from(const WallBytes& wall, GridSize grid, int i, int j) {
  std::vector<std::uint8_t> reached(wall.size());
  std::vector<std::pair<int, int>> list{{i, j}};
  while (!list.empty()) {
    const auto [a, b] = list.back();
    list.pop_back();
    if (a < 0 || b < 0 || a >= grid.width || b >= grid.height) continue;
    const auto cell = static_cast<std::size_t>(b * grid.width + a);
    if (wall[cell] != 0 || std::exchange(reached[cell], 1) != 0) continue;
    for (int db = -1; db <= 1; ++db)
      for (int da = -1; da <= 1; ++da) list.emplace_back(a + da, b + db);
  }
  return reached;
}

TEST(ImageCells, ClosedLinesOfALargerImageStayClosed) {
  std::mt19937 random(7);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  for (int picture = 0; picture < reach(60, 10); ++picture) {
    const double ratio = number(1, 9);
    const GridSize grid{static_cast<int>(number(40, 90)), static_cast<int>(number(40, 90))};
    GreyImage image = white_image(static_cast<int>(ratio * grid.width), static_cast<int>(ratio * grid.height));
    // A polygon around the middle, with corners in every direction.
    const int corners = 3 + static_cast<int>(random() % 6), thickness = 1 + static_cast<int>(random() % 3);
    std::vector<std::pair<double, double>> at;
    for (int k = 0; k < corners; ++k) {
      const double angle = 6.283 * (k + number(0, 0.4)) / corners, far = number(0.25, 0.42);
      at.emplace_back(image.width * (0.5 + far * std::cos(angle)), image.height * (0.5 + far * std::sin(angle)));
    }
    for (int k = 0; k < corners; ++k) {
      const auto &from = at[static_cast<std::size_t>(k)], &to = at[static_cast<std::size_t>((k + 1) % corners)];
      draw_line(image, from.first, from.second, to.first, to.second, thickness);
    }
    const ImageWalls walls = walls_of_image(image, 0.5, false, grid, false, false);
    const auto reached = reached_from(walls.wall, grid, grid.width / 2, grid.height / 2);
    EXPECT_EQ(reached[0], 0) << "picture " << picture << ", " << ratio << " pixels a cell";
    EXPECT_NE(reached[static_cast<std::size_t>(grid.height / 2 * grid.width + grid.width / 2)], 0);
    // A line becomes no thicker than it takes: two cells in a row, or as many as its pixels cover.
    const auto cells = std::count(walls.wall.begin(), walls.wall.end(), 1);
    const double length = std::accumulate(at.begin(), at.end(), 0.0, [&, k = 0](double sum, const auto& from) mutable {
      const auto& to = at[static_cast<std::size_t>(++k % corners)];
      return sum + std::abs(to.first - from.first) + std::abs(to.second - from.second);
    });
    EXPECT_LT(static_cast<double>(cells), 2.2 * length / ratio * std::max(1.0, thickness / ratio) + 20) << picture;
    // The same walls of the inverted image; as closed ones of the mirrored image.
    GreyImage inverted = image, mirrored = image;
    for (float& value : inverted.values) value = 1 - value;
    EXPECT_EQ(walls_of_image(inverted, 0.5, true, grid, false, false).wall, walls.wall);
    for (int y = 0; y < image.height; ++y)
      std::reverse(mirrored.values.begin() + y * image.width, mirrored.values.begin() + (y + 1) * image.width);
    WallBytes turned = walls_of_image(mirrored, 0.5, false, grid, false, false).wall;
    for (int j = 0; j < grid.height; ++j)
      std::reverse(turned.begin() + j * grid.width, turned.begin() + (j + 1) * grid.width);
    EXPECT_EQ(reached_from(turned, grid, grid.width / 2, grid.height / 2)[0], 0) << "mirrored";
  }
}

TEST(ImageCells, OpenLineOfALargerImageHasNoHoles) {
  GreyImage image = white_image(640, 640);
  draw_line(image, 100, 250, 560, 411, 2);
  const ImageWalls walls = walls_of_image(image, 0.5, false, {400, 400}, false, false);
  EXPECT_FALSE(walls.loses_details);
  for (int i = 65; i < 348; ++i) {
    int cells = 0;
    for (int j = 0; j < 400; ++j) cells += walls.wall[static_cast<std::size_t>(j * 400 + i)];
    EXPECT_GE(cells, 1) << i;
    EXPECT_LE(cells, 3) << i;
  }
  EXPECT_EQ(std::count(walls.wall.begin(), walls.wall.begin() + 400 * 100, 1), 0);
}

TEST(ImageCells, DetailsSmallerThanACellAreLostWithASentence) {
  constexpr GridSize grid{50, 50};
  const auto loses = [&](const auto& draw) {
    GreyImage image = white_image(500, 500);
    draw(image);
    return walls_of_image(image, 0.5, false, grid, false, false).loses_details;
  };
  EXPECT_TRUE(loses([](GreyImage& image) { draw_line(image, 255, 255, 255, 255, 2); })) << "a speck";
  const auto with_gap = [&](int gap) {
    return loses([&](GreyImage& image) {
      draw_line(image, 0, 250, 240, 250, 12);
      draw_line(image, 252 + gap, 250, 499, 250, 12);
    });
  };
  EXPECT_TRUE(with_gap(3)) << "an opening";
  EXPECT_FALSE(with_gap(30));
  EXPECT_FALSE(loses([](GreyImage&) {}));
  const GreyImage dots = counted_image(50, 50);
  EXPECT_FALSE(walls_of_image(dots, 0.5, false, grid, false, false).loses_details) << "a pixel a cell";
  const std::string text = lost_details_text("a.png", white_image(500, 500), grid).english();
  EXPECT_NE(text.find("\"a.png\""), std::string::npos) << text;
  EXPECT_NE(text.find("500 x 500 pixels"), std::string::npos) << text;
}

}  // namespace
}  // namespace perturb
