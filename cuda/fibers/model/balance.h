// Balance of forces of each fiber by itself: its own part B of the system (B + T) f = g that README.md derives, and the
// loops over fibers that solve with it. Vectors are [fibers][K+1][3]; slot 0 of the unknowns is zero.
#pragma once

#include <cstddef>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

PERTURB_HD inline Vector3<double> load3(const double* from) { return {from[0], from[1], from[2]}; }
PERTURB_HD inline void store3(double* to, Vector3<double> v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}
PERTURB_HD inline Vector3<double> scaled(double s, Vector3<double> v) { return {s * v.x, s * v.y, s * v.z}; }

// Constants of fiber m, for the loops below: for fibers of one length, and of unequal length.
struct FibersAlike {
  static constexpr bool unequal = false;
  FiberConstants all;
  PERTURB_HD const FiberConstants& of(int) const { return all; }
};
struct FibersUnequal {
  static constexpr bool unequal = true;
  const FiberConstants* own;  // [fibers]
  PERTURB_HD const FiberConstants& of(int m) const { return own[m]; }
};
// Selects one of the two. `each(constants)` gets it.
struct Balance {
  FiberConstants all;
  const FiberConstants* own = nullptr;  // on the backend; null if all have one length
  template <class Each>
  void with(const Each& each) const {
    if (own)
      each(FibersUnequal{own});
    else
      each(FibersAlike{all});
  }
};

// B^-1 v of the coefficients of degree n: the maps (11) and (13) of README.md without their sign. Zero for n = 0, which
// is not an unknown.
PERTURB_HD inline Vector3<double> balance_inverse(const FiberConstants& c, Vector3<double> t, int n,
                                                  Vector3<double> v) {
  if (n == 0) return {0, 0, 0};
  if (n == 1) return scaled(c.along_inverse * dot(t, v), t);
  return scaled(c.gamma[n], add_scaled(v, -c.e[n] * dot(t, v), t));
}

// A scalar product, and p.Ap of the same iteration.
struct Dot {
  double sum = 0, curvature = 0;
  PERTURB_HD void merge(const Dot& other) {
    sum += other.sum;
    if (other.curvature != 0) curvature = other.curvature;
  }
};
// Calls `each(m, n, dot)` for each degree n of each fiber, for Reduction<Dot>: neighbouring threads then have
// neighbouring numbers.
template <class Each>
struct OverDegrees {
  Each each;
  int fibers, degrees;
  static constexpr int width = 256;
  Range2D range() const { return {width, (fibers * degrees + width - 1) / width}; }
  PERTURB_HD void operator()(int i, int j, Dot& into) const {
    const int at = j * width + i;
    if (at < fibers * degrees) each(at / degrees, at % degrees, into);
  }
};

// The right-hand side from the sums of the weights; the start of the iteration. Sums r.z.
template <class Constants>
struct StartSolve {
  const double *sums, *tangent;
  Constants constants;
  double *g, *x, *r, *z, *p;
  int values;
  PERTURB_HD void operator()(int m, int n, Dot& into) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + 3 * n;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m));
    const FiberConstants& own = constants.of(m);
    Vector3<double> force{0, 0, 0};
    if (n == 1)
      force = scaled(-dot(t, load3(sums + at)), t);
    else if (n > 1 && own.gamma[n] != 0)
      force = scaled(-1, load3(sums + at));
    const Vector3<double> solved = balance_inverse(own, t, n, force);
    store3(g + at, force);
    store3(r + at, force);
    store3(x + at, {0, 0, 0});
    store3(z + at, solved);
    store3(p + at, solved);
    into.sum += dot(force, solved);
  }
};

// q = (B + T) p from the gathered T p: the torque-free part along t for n = 1, and nothing above the last term. Sums
// p.q.
template <class Constants>
struct ApplyBalance {
  const double *sums, *p, *tangent;
  Constants constants;
  double* q;
  int values;
  PERTURB_HD void operator()(int m, int n, Dot& into) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + 3 * n;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m)), force = load3(p + at);
    const FiberConstants& own = constants.of(m);
    Vector3<double> result{0, 0, 0};
    if (n == 1)
      result = add_scaled(scaled(dot(t, load3(sums + at)), t), own.along, force);
    else if (n > 1 && own.gamma[n] != 0)
      result = add_scaled(scaled(own.across_of[n], force), own.axial_of[n] * dot(t, force), t) + load3(sums + at);
    store3(q + at, result);
    into.sum += dot(force, result);
  }
};

// x and r move along p, as far as rz / p.Ap, and z = B^-1 r. Sums r.z.
template <class Constants>
struct Advance {
  const double *p, *q, *tangent;
  Constants constants;
  double rz;
  const Dot* curvature;  // p.Ap
  double *x, *r, *z;
  int values;
  PERTURB_HD void operator()(int m, int n, Dot& into) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + 3 * n;
    const double alpha = rz / curvature->sum;
    const Vector3<double> rest = add_scaled(load3(r + at), -alpha, load3(q + at));
    const Vector3<double> solved =
        balance_inverse(constants.of(m), load3(tangent + 3 * static_cast<std::size_t>(m)), n, rest);
    store3(x + at, add_scaled(load3(x + at), alpha, load3(p + at)));
    store3(r + at, rest);
    store3(z + at, solved);
    into.sum += dot(rest, solved);
    into.curvature = curvature->sum;
  }
};

// z = B^-1 r
template <class Constants>
struct Precondition {
  const double *r, *tangent;
  Constants constants;
  double* z;
  int values;
  PERTURB_HD void operator()(int n, int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values + 3 * n;
    store3(z + at,
           balance_inverse(constants.of(m), load3(tangent + 3 * static_cast<std::size_t>(m)), n, load3(r + at)));
  }
};

}  // namespace perturb::fibers
