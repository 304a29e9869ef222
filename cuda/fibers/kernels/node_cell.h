// Physics of one pair of nodes: the flow that one node's share of a fiber's force causes at a node of another fiber.
//
// A node is a point of a Gauss rule on a fiber. The sum over the nodes of all other fibers replaces the inner integral
// of model/cell.h unless two fibers are close: the error of n nodes falls off as (d + sqrt(1 + d²))^(-2n) with the
// distance d, in half-lengths.
#pragma once

#include "cuda/core/math/reciprocal_root.h"
#include "cuda/fibers/model/cell.h"

namespace perturb::fibers {

constexpr int fiber_max_nodes = 32;

// Node as a source: its position relative to the fiber's centre, and its force (weight included).
template <class Real>
struct alignas(2 * sizeof(Real)) Node {
  Vector3<Real> place, force;
};

// Centre as one number, or as two that together represent a double precision one.
template <class Real>
struct Centre {
  Vector3<Real> high, low;
  PERTURB_HD static Centre of(const double* x) {
    Centre c;
    c.high = {static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])};
    c.low = {static_cast<Real>(x[0] - static_cast<double>(c.high.x)),
             static_cast<Real>(x[1] - static_cast<double>(c.high.y)),
             static_cast<Real>(x[2] - static_cast<double>(c.high.z))};
    return c;
  }
};

// From the centre of l to that of m, or to its nearest image; exact to the last digit of Real.
template <class Real>
PERTURB_HD inline Vector3<Real> fiber_centre_separation(const Centre<Real>& m, const Centre<Real>& l, Real box) {
  Vector3<Real> d = m.high - l.high;
  if constexpr (sizeof(Real) == sizeof(float)) d = d + (m.low - l.low);
  if (box > Real(0)) {
    d.x -= box * static_cast<Real>(::rint(d.x / box));
    d.y -= box * static_cast<Real>(::rint(d.y / box));
    d.z -= box * static_cast<Real>(::rint(d.z / box));
  }
  return d;
}

// u += G(r) f, G(r) = I/|r| + rr/|r|³ + doublet (I/|r|³ - 3 rr/|r|⁵).
template <class Real>
PERTURB_HD inline void add_node_flow(Vector3<Real> r, Vector3<Real> f, Real doublet, Real minus3_doublet,
                                     Vector3<Real>& u) {
  const Real inverse = reciprocal_root(dot(r, r)), inverse2 = inverse * inverse, inverse3 = inverse * inverse2;
  const Real isotropic = multiply_add(doublet, inverse3, inverse);
  const Real axial = dot(r, f) * (inverse3 * multiply_add(minus3_doublet, inverse2, Real(1)));
  u = add_scaled(add_scaled(u, isotropic, f), axial, r);
}
// Floating-point operations of the function above, a fused multiply-add counted as two; the root as the ten
// instructions that it takes.
constexpr double fiber_node_flops = 3 + 5 + 10 + 2 + 2 + 5 + 2 + 2 + 12;

// Compensated sum (Kahan 1965): single precision over ten thousands of nodes needs it.
template <class Real>
struct NodeSum {
  Vector3<Real> sum, lost;
  PERTURB_HD void add(Vector3<Real> value) {
    const Vector3<Real> y = value - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
};

}  // namespace perturb::fibers
