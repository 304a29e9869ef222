#include "cuda/core/paint/image_cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "cuda/core/paint/sampling.h"

namespace perturb {

namespace {

// The first and last pixel that cell `at` of `cells` touches.
std::pair<int, int> span(int at, int cells, int pixels) {
  const double low = static_cast<double>(at) * pixels / cells, high = static_cast<double>(at + 1) * pixels / cells;
  const int first = static_cast<int>(low), last = std::max(first, static_cast<int>(std::ceil(high)) - 1);
  return {first, std::min(last, pixels - 1)};
}

}  // namespace

double image_smoothed(const GreyImage& image, GridSize grid, int i, int j, bool wraps_x, bool wraps_y) {
  const double across = static_cast<double>(image.width) / grid.width;
  const double along = static_cast<double>(image.height) / grid.height;
  const int nx = std::max(1, static_cast<int>(std::ceil(across))), ny = std::max(1, static_cast<int>(std::ceil(along)));
  const auto index = [](int at, int count, bool wraps) {
    return wraps ? (at % count + count) % count : clamp_index(at, count);
  };
  const auto pixel = [&](int x, int y) {
    return static_cast<double>(image.values[static_cast<std::size_t>(index(y, image.height, wraps_y)) * image.width +
                                            index(x, image.width, wraps_x)]);
  };
  double sum = 0;
  for (int b = 0; b < ny; ++b)
    for (int a = 0; a < nx; ++a) {
      const double x = (i + (a + 0.5) / nx) * across - 0.5, y = (j + (b + 0.5) / ny) * along - 0.5;
      const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
      const double s = x - x0, t = y - y0;
      sum += (1 - t) * ((1 - s) * pixel(x0, y0) + s * pixel(x0 + 1, y0)) +
             t * ((1 - s) * pixel(x0, y0 + 1) + s * pixel(x0 + 1, y0 + 1));
    }
  return sum / (nx * ny);
}

double image_in_pixels(const GreyImage& image, GridSize grid, int i, int j) {
  const auto [x0, x1] = span(i, grid.width, image.width);
  const auto [y0, y1] = span(j, grid.height, image.height);
  double sum = 0;
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x)
      sum += static_cast<double>(image.values[static_cast<std::size_t>(y) * image.width + x]);
  return sum / (static_cast<double>(x1 - x0 + 1) * (y1 - y0 + 1));
}

std::int64_t close_corners(std::vector<std::uint8_t>& wall, GridSize grid, bool wraps_x, bool wraps_y) {
  const auto cell = [&](int i, int j) -> std::uint8_t& {
    return wall[static_cast<std::size_t>(j % grid.height) * grid.width + i % grid.width];
  };
  std::int64_t closed = 0, before = -1;
  // One sweep from the top down closes everything: a newly closed cell can open a corner only in the row below. Only
  // corners across a periodic side need another sweep.
  while (closed != before) {
    before = closed;
    for (int j = grid.height - (wraps_y ? 1 : 2); j >= 0; --j)
      for (int i = 0; i < grid.width - (wraps_x ? 0 : 1); ++i) {
        std::uint8_t &a = cell(i, j), &b = cell(i + 1, j);
        const bool above_a = cell(i, j + 1) != 0, above_b = cell(i + 1, j + 1) != 0;
        if (above_a == above_b || (a != 0) == (b != 0) || (a != 0) == above_a) continue;
        (a != 0 ? b : a) = 1;
        closed += 1;
      }
  }
  return closed;
}

}  // namespace perturb
