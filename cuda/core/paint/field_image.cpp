#include "cuda/core/paint/field_image.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

void FieldImage::begin(const PixelSampler& sampler, int image_width_, int image_height_, int grid_width,
                       int grid_height) {
  image_width = image_width_, image_height = image_height_, width = grid_width, height = grid_height;
  scale_x = sampler.scale_x(), scale_y = sampler.scale_y();
  taps_x = sampler.taps_x(), taps_y = sampler.taps_y();
  x.clear(), y.clear();
  for (int px = 0; px < image_width; ++px) x.push_back(sampler.point(px, 0).x);
  for (int k = 0; k < taps_x; ++k)
    for (int px = 0; px < image_width; ++px) x.push_back(static_cast<float>(sampler.tap_x(px, k)));
  for (int py = 0; py < image_height; ++py) y.push_back(sampler.point(0, py).y);
  for (int k = 0; k < taps_y; ++k)
    for (int py = 0; py < image_height; ++py) y.push_back(static_cast<float>(sampler.tap_y(py, k)));
  const Part across = part_of(x.front(), x[static_cast<std::size_t>(image_width) - 1], scale_x, width);
  const Part along = part_of(y.front(), y[static_cast<std::size_t>(image_height) - 1], scale_y, height);
  left = across.first, columns = across.count, low = along.first, rows = along.count;
  linear = shades = false;
  cover_is = Cover::none, shading = Shading::table;
  rings.clear(), probe.reset();
  stream.clear(), arrows.clear();
  stream_step = 0, arrow_side = 0;
}

bool FieldImage::is_small() const {
  constexpr double most_per_pixel = 4;
  return static_cast<double>(columns) * rows <= most_per_pixel * image_width * image_height;
}

}  // namespace perturb
