#include "cuda/wave/view/picture.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

template <class Real>
int marks_of(const PaintInput<Real>& input, Mark* marks) {
  int count = static_cast<int>(input.sources.count());
  for (int s = 0; s < count; ++s) {
    const HardSource<Real> hard_source =
        hard_source_of<Real>(input.sources[static_cast<std::size_t>(s)], input.grid, input.time);
    marks[s] = {hard_source.x0, hard_source.y0, hard_source.x1, hard_source.y1, hard_source.radius};
  }
  // As far as there is room, their copies round sides that repeat.
  const int sources = count;
  for (int s = 0; s < sources; ++s) {
    const auto [x0, y0, x1, y1, radius] = marks[s];
    const Copies copies = input.grid.repeating().copies_of(std::min(x0, x1) - radius, std::max(x0, x1) + radius,
                                                           std::min(y0, y1) - radius, std::max(y0, y1) + radius);
    for (int b = copies.low; b <= copies.high; ++b)
      for (int a = copies.left; a <= copies.right && count < max_wave_sources; ++a) {
        const auto x = static_cast<float>(a * input.grid.width), y = static_cast<float>(b * input.grid.height);
        if (a != 0 || b != 0) marks[count++] = {x0 + x, y0 + y, x1 + x, y1 + y, radius};
      }
  }
  if (input.screen.is_active()) {
    const auto at = static_cast<float>(std::floor(input.screen.share_of_width() * input.grid.width) + 0.5);
    marks[count++] = {at, 0.f, at, static_cast<float>(input.grid.height), 0.f};
  }
  return count;
}

namespace {

PixelSampler sampler_of(const Grid& grid, const Camera& camera, int width, int height, bool smooth) {
  return {camera.pixel_to_domain(width, height, grid.width * grid.cell_size, grid.height * grid.cell_size), grid.width,
          grid.height, smooth};
}
// Water: whether it has the colours of Light, and the slope at which the shading saturates.
bool has_own_colors(const ColorTable& table) {
  return table.id() == wave_simulation().quantities[static_cast<std::size_t>(Shown::water)].colormap;
}
float steepest_of(const ShownRange& range) {
  return static_cast<float>(std::max({std::abs(range.low), std::abs(range.high), 1e-30}));
}
float per_step_of(const Parameters& parameters) { return static_cast<float>(1 / parameters.time_step); }
float per_cell_of(const Grid& grid) { return static_cast<float>(1 / grid.cell_size); }

}  // namespace

template <class Real>
void paint_scene(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const Grid& grid = input.grid;
  Paint<Real> body{};
  body.pixels = pixels;
  body.sampler = sampler_of(grid, camera, pixels.width, pixels.height, view.smooth);
  body.u = input.surface.u();
  body.u_previous = input.surface.u_previous();
  body.medium = input.medium.view();
  body.mean = input.screen.mean();
  body.shown = shown_quantity(view.quantity);
  const ShownRange range = shown_range(view, wave_simulation().quantities[static_cast<std::size_t>(body.shown)]);
  if (body.shown == Shown::surface) {
    paint_relief(input, pixels, camera, range.low, range.high, table);
    return;
  }
  body.scale = table.scale(range.low, range.high);
  body.own_colors = has_own_colors(table);
  body.steepest = steepest_of(range);
  body.per_step = per_step_of(input.parameters);
  body.per_cell = per_cell_of(grid);
  body.counts = table.is_counted();
  body.medium_is_even = !input.medium.has_speed_map();
  body.mark_count = body.counts ? 0 : marks_of(input, body.marks);
  parallel_for(input.backend, "wave.paint", Range2D{pixels.width, pixels.height}, body);
}

template <class Real>
bool describe_scene(const PaintInput<Real>& input, FieldImage& image, int width, int height, const Camera& camera,
                    const ViewSettings& view, const ColorTable& table) {
  const Grid& grid = input.grid;
  const Shown shown = shown_quantity(view.quantity);
  if (shown == Shown::surface || table.is_counted() || input.backend.is_cuda()) return false;
  image.begin(sampler_of(grid, camera, width, height, view.smooth), width, height, grid.width, grid.height);
  if (!image.is_small()) return false;
  const auto copy = [&](const auto& cells, std::vector<float>& to) {
    using Copy = CopyCells<std::remove_cvref_t<decltype(cells)>>;
    parallel_for(input.backend, "wave.copy_cells", Range2D{image.columns, image.rows},
                 Copy{cells, image.view_of(to), image.left, image.low});
  };
  const View2D<const Real> u = input.surface.u(), medium = input.medium.view(), mean = input.screen.mean();
  image.linear = view.smooth && shown != Shown::speed;
  if (shown == Shown::height || shown == Shown::water) copy(u, image.values);
  if (shown == Shown::velocity)
    copy(VelocityOf<Real>{u, input.surface.u_previous(), per_step_of(input.parameters)}, image.values);
  const View2D<float> values = image.view_of(image.values);
  if (shown == Shown::intensity && !mean.empty()) copy(mean, image.values);
  if (shown == Shown::intensity && mean.empty()) std::fill_n(values.data, image.values.size(), 0.f);
  if (shown == Shown::speed && !medium.empty()) copy(FactorOf<Real>{medium}, image.values);
  if (shown == Shown::speed && medium.empty()) std::fill_n(values.data, image.values.size(), 1.f);
  if (!medium.empty()) {
    copy(medium, image.cover);
    image.cover_is = FieldImage::Cover::medium;
    image.shades = shown != Shown::speed;
  }
  const ShownRange range = shown_range(view, wave_simulation().quantities[static_cast<std::size_t>(shown)]);
  image.scale = table.scale(range.low, range.high);
  if (shown == Shown::water) {
    image.shading = has_own_colors(table) ? FieldImage::Shading::light : FieldImage::Shading::light_table;
    image.slope_per_difference = 0.5f * per_cell_of(grid);
    image.exaggeration = Light::of_range(steepest_of(range)).exaggeration;
  }
  Mark marks[max_wave_sources + 1];
  const int count = marks_of(input, marks);
  for (int m = 0; m < count; ++m)
    image.rings.push_back({{marks[m].x0, marks[m].y0, marks[m].x1, marks[m].y1}, marks[m].radius});
  return true;
}

template <class Real>
std::optional<double> wave_value_at(const PaintInput<Real>& input, double x, double y, Shown shown) {
  const Grid& grid = input.grid;
  const int i = grid.column(x), j = grid.row(y);
  const auto read = [&](View2D<const Real> field, int a, int b) {
    Real value = 0;
    input.backend.copy_to_host(&value, field.row(b) + a, sizeof value);
    return static_cast<double>(value);
  };
  const View2D<const Real> u = input.surface.u();
  const double factor = input.medium.empty() ? 1 : read(input.medium.view(), i, j);
  if (std::signbit(factor)) return std::nullopt;
  switch (shown) {
    case Shown::height:
    case Shown::surface:
      return read(u, i, j);
    case Shown::velocity:
      return (read(u, i, j) - read(input.surface.u_previous(), i, j)) / input.parameters.time_step;
    case Shown::water: {
      const int i0 = std::max(i - 1, 0), i1 = std::min(i + 1, grid.width - 1);
      const int j0 = std::max(j - 1, 0), j1 = std::min(j + 1, grid.height - 1);
      return std::hypot(read(u, i1, j) - read(u, i0, j), read(u, i, j1) - read(u, i, j0)) / (2 * grid.cell_size);
    }
    case Shown::speed:
      return factor;
    case Shown::intensity:
      return input.screen.is_active() ? read(input.screen.mean(), i, j) : 0.0;
  }
  return std::nullopt;
}

template int marks_of(const PaintInput<float>&, Mark*);
template int marks_of(const PaintInput<double>&, Mark*);
template void paint_scene(const PaintInput<float>&, Pixels, const Camera&, const ViewSettings&, const ColorTable&);
template void paint_scene(const PaintInput<double>&, Pixels, const Camera&, const ViewSettings&, const ColorTable&);
template bool describe_scene(const PaintInput<float>&, FieldImage&, int, int, const Camera&, const ViewSettings&,
                             const ColorTable&);
template bool describe_scene(const PaintInput<double>&, FieldImage&, int, int, const Camera&, const ViewSettings&,
                             const ColorTable&);
template std::optional<double> wave_value_at(const PaintInput<float>&, double, double, Shown);
template std::optional<double> wave_value_at(const PaintInput<double>&, double, double, Shown);

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(wave_simulation(), id)); }

}  // namespace perturb::wave
