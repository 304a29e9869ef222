// Rays: paths of waves through water of varying speed by Snell's law, in the limit of short waves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// The squared slowness n² = 1/factor² of a speed map, smoothed over about 0.4 wavelengths: waves do not resolve the
// steps of an oblique edge either, and a ray needs a gradient.
class Slowness {
 public:
  // `factors`: the speed map [height, width]; the signs (walls) are ignored. `wavelength`: in open water, cells.
  Slowness(const std::vector<float>& factors, int width, int height, double wavelength);
  struct Value {
    double square, slope_x, slope_y;  // n² and its gradient, 1/cell
  };
  Value at(double x, double y) const;  // in cells; outside the tank, the value at its side
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  std::vector<float> square_;
  int width_, height_;
};

// A point on a ray, in cells, and its wave vector relative to that in open water: the direction, of length n.
struct RayPoint {
  double x = 0, y = 0, px = 0, py = 0;
};

// A ray's points before the first change of speed and behind the last one, two wavelengths away.
struct Ray {
  RayPoint before, behind;
  double middle_x = 0, middle_y = 0;  // halfway between these changes
  double optical_length = 0;          // from the source to `behind`: cells of open water with the same travel time
};

// Area in which rays are traced: `left` <= x <= right, bottom <= y <= top, in cells.
struct RayBounds {
  double left, right, bottom, top;
};

// The ray that leaves (x, y) in the direction (dx, dy), of length 1. Solves dr/ds = p, dp/ds = ∇n²/2 with |p| = n,
// which conserves the component of p along a straight edge: Snell's law. Empty if the speed does not change along the
// ray, or if part of it is outside the bounds. `wavelength`: in open water, cells.
std::optional<Ray> wave_ray(const Slowness& slowness, double x, double y, double dx, double dy, double wavelength,
                            const RayBounds& bounds);

// `count` rays of a line source, from its inner part and at right angles to it, towards the tank's middle; empty ones
// are omitted. Each has the mean wave vectors of a bundle about one wavelength wide.
std::vector<Ray> rays_of(const Source& line, const Grid& tank, const Slowness& slowness, double wavelength,
                         const RayBounds& bounds, int count);

// The point nearest to all of these lines (least squares of the distances), in cells. Empty if they do not converge
// ahead: their directions differ by less than two degrees, or they diverge.
struct RayIntersection {
  double x, y;
};
std::optional<RayIntersection> intersection_of(std::span<const RayPoint> lines);

}  // namespace perturb::wave
