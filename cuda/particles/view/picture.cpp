#include "cuda/particles/view/picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cuda/core/simulation/simulation.h"
#include "cuda/particles/particles.h"

namespace perturb::particles {

Shown shown_disc_quantity(const std::string& id) {
  return static_cast<Shown>(quantity_index(particles_simulation(), id));
}

template <class Real>
DiscValue<Real> Painter<Real>::values(const DiscRun<Real>& now, Shown shown) {
  const Storage<Real>& discs = now.discs.storage();
  DiscValue<Real> value;
  value.grid = now.grid();
  value.wall_collisions = discs.wall_collisions.data();
  value.disc_collisions = discs.disc_collisions.data();
  value.shown = shown;
  value.slow = now.slow();
  value.origins = now.discs.origins().data();
  value.middle = 0.5 * now.box.width();
  if (shown == Shown::density) value.density = map_density(now);
  return value;
}

template <class Real>
DensityMap Painter<Real>::map_density(const DiscRun<Real>& now) {
  const auto n = static_cast<std::size_t>(now.discs.count());
  const double radius = now.discs.cell_radius(), width = now.box.width(), height = now.box.height();
  DensityMap map;
  const double side = std::max(2 * radius, std::sqrt(4 * width * height / static_cast<double>(n)));  // four discs each
  map.cells.nx = std::max(1, static_cast<int>(width / side));
  map.cells.ny = std::max(1, static_cast<int>(height / side));
  map.cells.per_x = map.cells.nx / width;
  map.cells.per_y = map.cells.ny / height;
  const auto cells = static_cast<std::size_t>(map.cells.nx) * static_cast<std::size_t>(map.cells.ny);
  if (density_bins_.max_items() < n || density_bins_.max_cells() < cells) {
    density_bins_ = {};
    density_bins_ = CellBins(backend_, n, cells, "discs by cell of density");
  }
  density_bins_.build("particles.density", now.discs.count(), DensityCellOf<Real>{now.grid(), map.cells});
  map.starts = density_bins_.starts().data;
  map.per_disc = static_cast<float>(std::numbers::pi * radius * radius * map.cells.per_x * map.cells.per_y / 9);
  return map;
}

template <class Real>
void Painter<Real>::paint(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table,
                          const DiscRun<Real>& now, Trails<Real>& trails) {
  const double width = now.box.width(), height = now.box.height();
  const int count = now.discs.count();
  const double unit = Camera::units_per_pixel(pixels.width, pixels.height, width, height, camera.zoom);
  DiscPicture<Real> picture;
  picture.value = values(now, shown_disc_quantity(view.quantity));
  const auto& quantities = particles_simulation().quantities;
  const ShownRange range = shown_range(view, quantities[static_cast<std::size_t>(picture.value.shown)]);
  picture.scale = table.scale(range.low, range.high);
  picture.x0 = camera.center_x * width - 0.5 * pixels.width * unit;
  picture.y0 = camera.center_y * height - 0.5 * pixels.height * unit;
  picture.pixels_per_unit = 1 / unit;
  // A few tiny discs in a wide box would be too pale to see. They are drawn larger than they are, as long as all of
  // them together cover no more than a tenth of the box.
  const double share_each = 0.1 * width * height / (unit * unit) / (std::numbers::pi * count);
  picture.min_radius = static_cast<float>(std::min(1.3, std::sqrt(share_each)));
  const float radius = std::max(static_cast<float>(now.discs.cell_radius() / unit), picture.min_radius);
  BoxGround ground{picture.x0, picture.y0, unit, now.box.right(), width, height};
  for (const Fixture& fixture : now.fixtures.all())
    if (fixture.is_plate())
      ground.plates[ground.plate_count++] = {
          (fixture.x - 0.5 * fixture.size) * width, (fixture.x + 0.5 * fixture.size) * width,
          fixture.kind == Fixture::Kind::flame ? rgba(240, 120, 40) : rgba(120, 190, 250)};
  for (const Circle& circle : now.fixtures.thermometers(width, height))
    ground.thermometers[ground.thermometer_count++] = circle;
  const Array<int>& large_discs = now.discs.large_discs();
  if (trails.empty()) {
    raster_.paint(backend_, "particles.paint", pixels, count, picture, radius, large_discs.view(), ground);
    return;
  }
  trails.paint(backend_, pixels, picture.x0, picture.y0, picture.pixels_per_unit, radius, ground);
  raster_.paint(backend_, "particles.paint", pixels, count, picture, radius, large_discs.view(), PaintedGround{pixels});
}

template class Painter<float>;
template class Painter<double>;

}  // namespace perturb::particles
