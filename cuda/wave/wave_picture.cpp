#include "cuda/wave/wave_picture.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/core/shown.h"
#include "cuda/wave/wave.h"

namespace perturb::wave {

template <class Real>
int marks_of(const TankScene<Real>& scene, Mark* marks) {
  int count = static_cast<int>(scene.sources.count());
  for (int s = 0; s < count; ++s) {
    const Hold<Real> hold = source_hold<Real>(scene.sources[static_cast<std::size_t>(s)], scene.grid, scene.time);
    marks[s] = {hold.x0, hold.y0, hold.x1, hold.y1, hold.radius};
  }
  if (scene.screen.stands()) {
    const auto at = static_cast<float>(std::floor(scene.screen.place_of() * scene.grid.width) + 0.5);
    marks[count++] = {at, 0.f, at, static_cast<float>(scene.grid.height), 0.f};
  }
  return count;
}

template <class Real>
void paint_scene(const TankScene<Real>& scene, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const Grid& grid = scene.grid;
  const std::vector<Quantity>& quantities = wave_simulation().quantities;
  Paint<Real> body{};
  body.pixels = pixels;
  body.sampler = PixelSampler(
      camera.pixel_to_domain(pixels.width, pixels.height, grid.width * grid.cell_size, grid.height * grid.cell_size),
      grid.width, grid.height, view.smooth);
  body.u = scene.surface.u(), body.u_previous = scene.surface.u_previous(), body.medium = scene.medium.view();
  body.mean = scene.screen.mean();
  body.shown = shown_quantity(view.quantity);
  const auto [low, high] = shown_range(view, quantities[static_cast<std::size_t>(body.shown)]);
  if (body.shown == Shown::surface) {
    paint_relief(scene, pixels, camera, low, high, table);
    return;
  }
  body.scale = table.scale(low, high);
  body.own_colors = table.id() == quantities[static_cast<std::size_t>(Shown::water)].colormap;
  body.steepest = static_cast<float>(std::max({std::abs(low), std::abs(high), 1e-30}));
  body.per_step = static_cast<float>(1 / scene.parameters.time_step);
  body.per_cell = static_cast<float>(1 / grid.cell_size);
  body.counts = table.is_counted();
  body.medium_is_even = !scene.medium.has_speed_map();
  body.mark_count = body.counts ? 0 : marks_of(scene, body.marks);
  parallel_for(scene.backend, "wave.paint", Range2D{pixels.width, pixels.height}, body);
}

template <class Real>
std::optional<double> wave_value_at(const TankScene<Real>& scene, double x, double y, Shown shown) {
  const Grid& grid = scene.grid;
  const int i = grid.column(x), j = grid.row(y);
  const auto read = [&](View2D<const Real> field, int a, int b) {
    Real value = 0;
    scene.backend.copy_to_host(&value, field.row(b) + a, sizeof value);
    return static_cast<double>(value);
  };
  const View2D<const Real> u = scene.surface.u();
  const double factor = scene.medium.empty() ? 1 : read(scene.medium.view(), i, j);
  if (std::signbit(factor)) return std::nullopt;
  switch (shown) {
    case Shown::height:
    case Shown::surface:
      return read(u, i, j);
    case Shown::velocity:
      return (read(u, i, j) - read(scene.surface.u_previous(), i, j)) / scene.parameters.time_step;
    case Shown::water: {
      const int i0 = std::max(i - 1, 0), i1 = std::min(i + 1, grid.width - 1);
      const int j0 = std::max(j - 1, 0), j1 = std::min(j + 1, grid.height - 1);
      return std::hypot(read(u, i1, j) - read(u, i0, j), read(u, i, j1) - read(u, i, j0)) / (2 * grid.cell_size);
    }
    case Shown::speed:
      return factor;
    case Shown::intensity:
      return scene.screen.stands() ? read(scene.screen.mean(), i, j) : 0.0;
  }
  return std::nullopt;
}

template int marks_of(const TankScene<float>&, Mark*);
template int marks_of(const TankScene<double>&, Mark*);
template void paint_scene(const TankScene<float>&, Pixels, const Camera&, const ViewSettings&, const ColorTable&);
template void paint_scene(const TankScene<double>&, Pixels, const Camera&, const ViewSettings&, const ColorTable&);
template std::optional<double> wave_value_at(const TankScene<float>&, double, double, Shown);
template std::optional<double> wave_value_at(const TankScene<double>&, double, double, Shown);

Shown shown_quantity(const std::string& id) { return static_cast<Shown>(quantity_index(wave_simulation(), id)); }

}  // namespace perturb::wave
