#include "cuda/fibers/measure/orbits.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace perturb::fibers {

namespace {

using Complex = std::complex<double>;

// Of a z² + b z + c.
double larger_root(double a, Complex b, Complex c) {
  const Complex root = std::sqrt(b * b - 4 * a * c);
  return std::max(std::abs(-b + root), std::abs(-b - root)) / (2 * a);
}

double orbit_factor(Scheme scheme, double theta) {
  const Complex i(0, theta);
  switch (scheme) {
    case Scheme::two_step:
      return larger_root(3, -(4.0 + 4.0 * i), 1.0 + 2.0 * i);
    case Scheme::adams_bashforth:
      return larger_root(1, -(1.0 + 1.5 * i), 0.5 * i);
    case Scheme::runge_kutta:
      return std::abs(1.0 + i * (1.0 + i / 2.0 * (1.0 + i / 3.0 * (1.0 + i / 4.0))));
  }
  return 1;
}

}  // namespace

double fiber_orbit_growth(Scheme scheme, double radians) {
  if (!(radians > 1e-4)) return 0;  // lost in rounding there: of the third order or less
  return std::pow(orbit_factor(scheme, radians), 2 * M_PI / radians) - 1;
}

}  // namespace perturb::fibers
