// The waves behind a wall with openings, by the first Rayleigh-Sommerfeld integral.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace perturb::wave {

// The complex amplitude on a line parallel to a plane on which the surface is known, if all waves behind the plane are
// outgoing:
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
  double error = 0;                  // worst difference of a fringe's height, as a share of theory's at that fringe
  int fringes = 0;
};
Comparison compare(std::span<const double> measured, std::span<const double> theory);

}  // namespace perturb::wave
