// Theory that measurements are compared with: waves behind a wall with openings, rays through water of varying speed,
// wavelengths around a moving source.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"

namespace perturb::wave {

// Waves behind a wall with openings, by the first Rayleigh-Sommerfeld integral: the complex amplitude on a line
// parallel to a plane on which the surface is known, if all waves behind the plane are outgoing:
//   U(y) = (i k/2) ∫ (L/r) H1(kr) u(y') dy',   r² = L² + (y - y')²,   H1 = J1 + i Y1   (time as exp(-iwt)).
// In the plane, u is zero except in the openings. The kernel is cached as a table over y - y'.
class Diffraction {
 public:
  // `distance` L > 0 and wavelength 2π/k in cells; `cells` along the line.
  void prepare(double distance, double wavelength, int cells);
  // `plane`: u in the plane's cells, zero in the wall.
  std::vector<std::complex<double>> on_line(std::span<const std::complex<double>> plane) const;

 private:
  double distance_ = 0, wavelength_ = 0;
  std::vector<std::complex<double>> kernel_;  // by |y - y'|
};

// An opening of the plane, in cells. The surface is zero in walls, so in the opening u is a sum of sin(m π y/b), m = 1,
// 2, ..., y from one wall's first cell to the other's.
struct Aperture {
  double middle;  // the first cell's is 1/2
  double width;   // b: from wall to wall
  std::vector<std::complex<double>> modes;
};
// The openings of `plane` (as above), each a run of nonzero cells, with the propagating modes and the next two. Those
// are evanescent, but affect the outgoing waves. Wavelength in cells.
std::vector<Aperture> wave_apertures(std::span<const std::complex<double>> plane, double wavelength);

// The same integral far behind each opening, in closed form: with H1's first term for large kr, and r linear in y over
// an opening (Fraunhofer's form, applied to each opening separately, at any distance between openings),
//   U(y) = sum sqrt(k/(2π r)) (L/r) F exp(i kr - i π/4),   q = k (y - middle)/r,
//   F = sum over m of A 2a/(a² - q²) · (cos(qb/2) where m is odd, i sin(qb/2) where it is even),   a = m π/b.
std::vector<std::complex<double>> far_field(std::span<const Aperture> apertures, double distance, double wavelength,
                                            int cells);
// Distance from which on far_field holds: 2 b²/λ behind the widest opening, where the neglected phases reach π/8, and
// at least one wavelength.
double far_from(std::span<const Aperture> apertures, double wavelength);

// A maximum of a curve with one sample per cell: position (cells, the first sample at 1/2) and height, by the parabola
// through three samples.
struct Fringe {
  double place, height;
};
// The `count` highest bright fringes that are neighbours, nearest to the middle of the curve, in order of position;
// fewer if the curve has fewer.
std::vector<Fringe> inner_fringes(std::span<const double> intensity, int count);

// Comparison of a measured curve with theory, whose height is fitted to it.
struct Comparison {
  double factor = 0;                 // that scales theory to the curve (least squares over the fringes)
  double spacing = 0, expected = 0;  // mean distance of neighbouring fringes, cells; 0: fewer than two
  // Distance from the middle fringe to the first ones beside it, their mean, cells; 0: not an odd number of fringes,
  // or a single one.
  double first = 0, first_expected = 0;
  // The same to the darkest places between them.
  double first_dark = 0, first_dark_expected = 0;
  double error = 0;  // worst difference of a fringe's height, as a share of theory's at that fringe
  int fringes = 0;
  std::vector<Fringe> found, theory;  // the inner fringes of both
};
Comparison compare(std::span<const double> measured, std::span<const double> theory);

// ---- rays: paths of waves through water of varying speed by Snell's law, in the limit of short waves

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

// A change of speed along a ray that is at most five wavelengths wide: its position (cells), the normal of the edge,
// into the water that the ray enters, and the ray's wave vectors on both sides.
struct RayCrossing {
  double x = 0, y = 0, normal_x = 0, normal_y = 0;
  double in_x = 0, in_y = 0, out_x = 0, out_y = 0;
};
// Angle between a wave vector and the normal, degrees.
double degrees_from_normal(double px, double py, const RayCrossing& crossing);

// A ray's points before the first change of speed and behind the last one, two wavelengths away.
struct Ray {
  RayPoint before, behind;
  double middle_x = 0, middle_y = 0;  // halfway between these changes
  double optical_length = 0;          // from the source to `behind`: cells of open water with the same travel time
  std::vector<RayPoint> path{};       // from the source to the edge of the bounds, half a wavelength apart
  std::vector<RayCrossing> crossings{};
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

// The oscillation of a standing mode that was released at rest: exp(-k t/2) (cos wt + k/(2w) sin wt),
// w² = (c K)² - k²/4.
class DampedOscillation {
 public:
  // `undamped`: c K, 1/time, of a mode of wavenumber K. An overdamped mode has no frequency.
  DampedOscillation(double undamped, double damping);
  double at(double time) const;
  double frequency() const;  // w/2π; 0: none
  // The mean frequency since the release of a mode with these heights at `time` - `step` and `time`: from the phase, of
  // which theory gives the whole turns.
  double frequency_of(double before, double now, double time, double step) const;

 private:
  double damping_, rate_;  // k and w
};

// Wavelengths ahead of and behind a moving source, measured in the tank's middle row. In units of length; 0 while there
// are fewer than two crests.
struct Doppler {
  double ahead = 0, behind = 0;
  double ahead_expected = 0, behind_expected = 0;  // (c - v)/f and (c + v)/f
};

// `row`: the heights of the middle row at `time`; `speed`: of waves, length/time; `margin`: cells to ignore at both
// ends, for a sponge. Empty unless there is exactly one source, which moves along the middle row, slower than its
// waves, between sides that are not periodic.
std::optional<Doppler> doppler_of(std::span<const double> row, const Sources& sources, const Grid& tank, double speed,
                                  double margin, double time);

}  // namespace perturb::wave
