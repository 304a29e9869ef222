#include "cuda/core/paint/field_image.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace perturb {

namespace {

struct Part {
  int first, count;
};
// The cells along an axis that pixels with these centres sample.
Part part_of(float low, float high, float cells_per_pixel, int size) {
  const float reach = 2 + 2 * std::max(cells_per_pixel, 1.f);  // of slopes and of the edges of walls
  const auto cell = [&](float at) {
    return static_cast<int>(std::clamp(std::floor(at), 0.f, static_cast<float>(size - 1)));
  };
  const int first = cell(low - reach);
  return {first, cell(high + reach) + 1 - first};
}

// Writes FieldImage::x or y for pixels whose centre and cells `at` returns; returns the most cells of a pixel.
template <class At>
int list_pixels(int pixels, std::vector<float>& list, const At& at) {
  int max_cells = 1;
  for (int p = 0; p < pixels; ++p) {
    const CellCover cover = at(p).second;
    max_cells = std::max(max_cells, cover.last - cover.first + 1);
  }
  const auto row = static_cast<std::size_t>(pixels);
  list.assign(row * static_cast<std::size_t>(1 + 2 * max_cells), 0.f);
  for (int p = 0; p < pixels; ++p) {
    const auto [middle, cover] = at(p);
    float* to = list.data() + p;
    *to = middle;
    for (int k = 0; k < max_cells; ++k) {
      const int cell = cover.first + k;
      to[row * static_cast<std::size_t>(1 + k)] = static_cast<float>(std::min(cell, cover.last));
      to[row * static_cast<std::size_t>(1 + max_cells + k)] = cell <= cover.last ? cover.share(cell) : 0.f;
    }
  }
  return max_cells;
}

}  // namespace

void FieldImage::begin(const PixelSampler& sampler, int image_width_, int image_height_, int grid_width,
                       int grid_height) {
  image_width = image_width_;
  image_height = image_height_;
  width = grid_width;
  height = grid_height;
  scale_x = sampler.scale_x();
  scale_y = sampler.scale_y();
  taps_x = list_pixels(image_width, x, [&](int px) {
    const GridPoint p = sampler.point(px, 0);
    return std::pair(p.x, sampler.cells_x(p));
  });
  taps_y = list_pixels(image_height, y, [&](int py) {
    const GridPoint p = sampler.point(0, py);
    return std::pair(p.y, sampler.cells_y(p));
  });
  const Part across = part_of(x.front(), x[static_cast<std::size_t>(image_width) - 1], scale_x, width);
  const Part along = part_of(y.front(), y[static_cast<std::size_t>(image_height) - 1], scale_y, height);
  left = across.first;
  columns = across.count;
  low = along.first;
  rows = along.count;
  linear = shades = false;
  cover_is = Cover::none;
  shading = Shading::table;
  rings.clear();
  probe.reset();
  stream.clear();
  arrows.clear();
  stream_step = 0;
  arrow_side = 0;
}

bool FieldImage::is_small() const {
  constexpr double max_per_pixel = 4;
  return static_cast<double>(columns) * rows <= max_per_pixel * image_width * image_height;
}

}  // namespace perturb
