// Rays: the way that waves take through water of unequal speed by Snell's law, in the limit of short waves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// The squared slowness n² = 1/factor² of a speed map, smoothed over a good third of a wavelength: waves do not see the
// stairs of a slanted edge either, and a ray needs a slope.
class Slowness {
 public:
  // `factors`: the speed map [height, width]; signs are walls' and do not count. `wavelength`: in open water, cells.
  Slowness(const std::vector<float>& factors, int width, int height, double wavelength);
  struct Value {
    double square, slope_x, slope_y;  // n² and its gradient, 1/cell
  };
  Value at(double x, double y) const;  // in cells; beyond the tank as at its side
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  std::vector<float> square_;
  int width_, height_;
};

// A place on a ray, in cells, and the wave vector there as a multiple of that in open water: its direction, n long.
struct RayPoint {
  double x = 0, y = 0, px = 0, py = 0;
};

// Before the water's speed begins to change along the ray, and behind where it changes last, two wavelengths off.
struct Ray {
  RayPoint before, behind;
  double middle_x = 0, middle_y = 0;  // halfway between these changes
  double optical_length = 0;          // from the source to `behind`: cells of open water that take as long
};

// Where rays end: `left` <= x <= right, bottom <= y <= top, in cells.
struct RayBounds {
  double left, right, bottom, top;
};

// The ray that leaves (x, y) in the direction (dx, dy), of length 1. Solves dr/ds = p, dp/ds = ∇n²/2 with |p| = n,
// which at a straight edge keeps the part of p along it: Snell's law. Nothing where the speed does not change along it,
// or not all of it lies within the bounds. `wavelength`: in open water, cells.
std::optional<Ray> wave_ray(const Slowness& slowness, double x, double y, double dx, double dy, double wavelength,
                            const RayBounds& bounds);

// `count` rays of a line source, from its inner part and at right angles to it, towards the tank's middle; those of
// which there is nothing are left out. Each has the mean wave vectors of a bundle about a
// wavelength wide.
std::vector<Ray> rays_of(const Source& line, const Grid& tank, const Slowness& slowness, double wavelength,
                         const RayBounds& bounds, int count);

// The point that is nearest to all of these lines (least squares of the distances), in cells; nothing where they do not
// run together ahead: their directions are within two degrees of each other, or they run apart.
struct RayIntersection {
  double x, y;
};
std::optional<RayIntersection> intersection_of(std::span<const RayPoint> lines);

}  // namespace perturb::wave
