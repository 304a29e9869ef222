#include "cuda/wave/view/picture.h"

#include <algorithm>
#include <cmath>

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
  if (input.screen.is_active()) {
    const auto at = static_cast<float>(std::floor(input.screen.place_of() * input.grid.width) + 0.5);
    marks[count++] = {at, 0.f, at, static_cast<float>(input.grid.height), 0.f};
  }
  return count;
}

template <class Real>
void paint_scene(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const Grid& grid = input.grid;
  const std::vector<Quantity>& quantities = wave_simulation().quantities;
  Paint<Real> body{};
  body.pixels = pixels;
  body.sampler = PixelSampler(
      camera.pixel_to_domain(pixels.width, pixels.height, grid.width * grid.cell_size, grid.height * grid.cell_size),
      grid.width, grid.height, view.smooth);
  body.u = input.surface.u(), body.u_previous = input.surface.u_previous(), body.medium = input.medium.view();
  body.mean = input.screen.mean();
  body.shown = shown_quantity(view.quantity);
  const auto [low, high] = shown_range(view, quantities[static_cast<std::size_t>(body.shown)]);
  if (body.shown == Shown::surface) {
    paint_relief(input, pixels, camera, low, high, table);
    return;
  }
  body.scale = table.scale(low, high);
  body.own_colors = table.id() == quantities[static_cast<std::size_t>(Shown::water)].colormap;
  body.steepest = static_cast<float>(std::max({std::abs(low), std::abs(high), 1e-30}));
  body.per_step = static_cast<float>(1 / input.parameters.time_step);
  body.per_cell = static_cast<float>(1 / grid.cell_size);
  body.counts = table.is_counted();
  body.medium_is_even = !input.medium.has_speed_map();
  body.mark_count = body.counts ? 0 : marks_of(input, body.marks);
  parallel_for(input.backend, "wave.paint", Range2D{pixels.width, pixels.height}, body);
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
template std::optional<double> wave_value_at(const PaintInput<float>&, double, double, Shown);
template std::optional<double> wave_value_at(const PaintInput<double>&, double, double, Shown);

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(wave_simulation(), id)); }

}  // namespace perturb::wave
