// Colour of a disc, and of the background.
#pragma once

#include <cstdint>

#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/raster_discs.h"
#include "cuda/particles/model/fixtures.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// In the order of the quantities of particles_info.
enum class Shown { speed, id, collisions, density, origin, mass };

// Counts of discs in cells of a few discs each, for the local density.
struct DensityMap {
  const int* starts = nullptr;
  Cells cells;
  float per_disc = 1;  // area of a disc over that of three by three cells
};

template <class Real>
struct DensityCellOf {
  Grid<Real> grid;
  Cells cells;
  PERTURB_HD int operator()(int i) const {
    const int cx = cell_index(static_cast<double>(grid.discs[i].x) * cells.per_x, cells.nx);
    return cell_index(static_cast<double>(grid.discs[i].y) * cells.per_y, cells.ny) * cells.nx + cx;
  }
};

// The value that gives a disc its colour.
template <class Real>
struct DiscValue {
  Grid<Real> grid;
  const std::uint32_t* wall_collisions;
  const std::uint32_t* disc_collisions;
  DensityMap density;
  Shown shown;
  double slow;                // steps per time unit
  const Disc<Real>* origins;  // by id: where discs came into the run
  double middle;              // of the box, across
  PERTURB_HD float operator()(int i) const {
    const Disc<Real> d = grid.discs[i];
    switch (shown) {
      case Shown::speed: {
        const double vx = static_cast<double>(d.vx) * slow, vy = static_cast<double>(d.vy) * slow;
        return static_cast<float>(std::sqrt(vx * vx + vy * vy));
      }
      case Shown::id:
        return static_cast<float>(grid.ids[i]) / static_cast<float>(grid.count);
      case Shown::collisions:
        return static_cast<float>(wall_collisions[i] + disc_collisions[i]);
      case Shown::origin:
        return static_cast<double>(origins[grid.ids[i]].x) < middle ? 1.f : 0.f;
      case Shown::mass:
        return static_cast<float>(grid.kind(i).mass);
      case Shown::density:
        break;
    }
    const Cells& cells = density.cells;
    const int cx = cell_index(static_cast<double>(d.x) * cells.per_x, cells.nx);
    const int cy = cell_index(static_cast<double>(d.y) * cells.per_y, cells.ny);
    int found = 0, looked = 0;
    for (int j = cy - 1; j <= cy + 1; ++j)
      for (int k = cx - 1; k <= cx + 1; ++k)
        if (j >= 0 && k >= 0 && j < cells.ny && k < cells.nx) {
          ++looked;
          found += density.starts[j * cells.nx + k + 1] - density.starts[j * cells.nx + k];
        }
    return density.per_disc * static_cast<float>(found) * 9.f / static_cast<float>(looked);
  }
};

template <class Real>
struct DiscPicture {
  DiscValue<Real> value;
  ColorScale scale;
  double x0, y0;  // point of the domain in the image's lower left corner
  double pixels_per_unit;
  float min_radius;  // in pixels: smaller discs are drawn with this radius
  PERTURB_HD RasterDisc operator()(int i) const {
    const Disc<Real> d = value.grid.discs[i];
    RasterDisc r;
    r.x = static_cast<float>((static_cast<double>(d.x) - x0) * pixels_per_unit);
    r.y = static_cast<float>((static_cast<double>(d.y) - y0) * pixels_per_unit);
    r.radius = static_cast<float>(static_cast<double>(value.grid.kind(i).radius) * pixels_per_unit);
    if (r.radius < min_radius) r.radius = min_radius;
    r.color = scale(value(i));
    return r;
  }
};

// A flame or ice at the floor.
struct PaintedPlate {
  double low, high;
  std::uint32_t color;
};
// Background: the box, its walls, the piston, what heats and cools the floor, and the outside.
struct BoxGround {
  double x0, y0, units_per_pixel;
  double right, width, height;
  PaintedPlate plates[max_plates] = {};
  Circle thermometers[max_thermometers] = {};
  int plate_count = 0, thermometer_count = 0;
  PERTURB_HD std::uint32_t operator()(int px, int py) const {
    const double x = x0 + (px + 0.5) * units_per_pixel, y = y0 + (py + 0.5) * units_per_pixel;
    const double wall = 1.5 * units_per_pixel;
    if (x < -wall || y < -wall || x > width + wall || y > height + wall) return rgba(38, 40, 46);
    const bool inside = x >= 0 && y >= 0 && x <= right && y <= height;
    const bool at_floor = inside && y < 6 * units_per_pixel && y < 0.04 * height;
    for (int k = plate_count - 1; k >= 0 && at_floor; --k)
      if (x >= plates[k].low && x <= plates[k].high) return plates[k].color;
    for (int k = 0; k < thermometer_count && inside; ++k) {
      const Circle& c = thermometers[k];
      const double away = std::sqrt((x - c.x) * (x - c.x) + (y - c.y) * (y - c.y)) - c.radius;
      if (away < units_per_pixel && away > -units_per_pixel) return rgba(150, 200, 130);
    }
    if (inside) return rgba(14, 16, 21);
    if (x > right + wall && y >= 0 && y <= height && x <= width) return rgba(58, 62, 70);
    return rgba(120, 126, 138);
  }
};

}  // namespace perturb::particles
