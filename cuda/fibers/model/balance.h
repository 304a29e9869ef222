// Balance of forces of each fiber by itself: its own part B of the system (B + T) f = g that README.md derives, and the
// loops over fibers that solve with it. Vectors are [fibers][K+1][3]; slot 0 of the unknowns is zero.
#pragma once

#include <cstddef>

#include "cuda/core/backend/host_device.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

PERTURB_HD inline Vector3<double> load3(const double* from) { return {from[0], from[1], from[2]}; }
PERTURB_HD inline void store3(double* to, Vector3<double> v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
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

// B^-1 v: the maps (11) and (13) of README.md without their sign.
PERTURB_HD inline void balance_inverse(const FiberConstants& c, Vector3<double> t, const double* v, double* to,
                                       int values) {
  store3(to, {0, 0, 0});
  store3(to + 3, scaled(c.along_inverse * dot(t, load3(v + 3)), t));
  for (int n = 2; n < values / 3; ++n) {
    const Vector3<double> own = load3(v + 3 * n);
    store3(to + 3 * n, scaled(c.gamma[n], add_scaled(own, -c.e[n] * dot(t, own), t)));
  }
}

// The right-hand side from the sums of the weights; the start of the iteration.
template <class Constants>
struct StartSolve {
  const double *sums, *tangent;
  Constants constants;
  double *g, *x, *r, *z, *p;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m));
    const FiberConstants& own = constants.of(m);
    store3(g + at, {0, 0, 0});
    store3(g + at + 3, scaled(-dot(t, load3(sums + at + 3)), t));
    for (int n = 2; n < values / 3; ++n)
      store3(g + at + 3 * n, own.gamma[n] != 0 ? scaled(-1, load3(sums + at + 3 * n)) : Vector3<double>{0, 0, 0});
    for (int v = 0; v < values; ++v) x[at + v] = 0, r[at + v] = g[at + v];
    balance_inverse(constants.of(m), t, r + at, z + at, values);
    for (int v = 0; v < values; ++v) p[at + v] = z[at + v];
  }
};

// q = (B + T) p from the gathered T p: the torque-free part along t for n = 1, and nothing above the last term.
template <class Constants>
struct ApplyBalance {
  const double *sums, *p, *tangent;
  Constants constants;
  double* q;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    const Vector3<double> t = load3(tangent + 3 * static_cast<std::size_t>(m));
    const FiberConstants& own = constants.of(m);
    store3(q + at, {0, 0, 0});
    store3(q + at + 3, add_scaled(scaled(dot(t, load3(sums + at + 3)), t), own.along, load3(p + at + 3)));
    for (int n = 2; n < values / 3; ++n) {
      if (own.gamma[n] == 0) {
        store3(q + at + 3 * n, {0, 0, 0});
        continue;
      }
      const Vector3<double> force = load3(p + at + 3 * n);
      const Vector3<double> b = add_scaled(scaled(own.across_of[n], force), own.axial_of[n] * dot(t, force), t);
      store3(q + at + 3 * n, b + load3(sums + at + 3 * n));
    }
  }
};

// x and r move along p, and z = B^-1 r.
template <class Constants>
struct Advance {
  const double *p, *q, *tangent;
  Constants constants;
  double alpha;
  double *x, *r, *z;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    for (int v = 0; v < values; ++v) {
      x[at + v] = multiply_add(alpha, p[at + v], x[at + v]);
      r[at + v] = multiply_add(-alpha, q[at + v], r[at + v]);
    }
    balance_inverse(constants.of(m), load3(tangent + 3 * static_cast<std::size_t>(m)), r + at, z + at, values);
  }
};

// z = B^-1 r
template <class Constants>
struct Precondition {
  const double *r, *tangent;
  Constants constants;
  double* z;
  int values;
  PERTURB_HD void operator()(int m) const {
    const std::size_t at = static_cast<std::size_t>(m) * values;
    balance_inverse(constants.of(m), load3(tangent + 3 * static_cast<std::size_t>(m)), r + at, z + at, values);
  }
};

}  // namespace perturb::fibers
