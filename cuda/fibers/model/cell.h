// Physics of one pair of fibers: slender-body constants, the inner integral in closed form, the maps of the balance.
//
// Tornberg & Gustavsson, "A numerical method for simulations of rigid fiber suspensions", J. Comput. Phys. 215 (2006)
// 172-196; Eriksson, "GPU-Parallel simulation of rigid fibers in Stokes flow" (Uppsala, IT 14 029, 2014). The starts
// that do not cancel are derived in README.md. Numbers are templates, so that the same function works on a thread's
// number, on single precision and on a pack of a CPU's lanes.
//
// Units: length, half a fiber's length; force, a fiber's weight; velocity, that of a lone fiber falling along its axis.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/geometry.h"
#include "cuda/core/math/pack.h"

namespace perturb::fibers {

constexpr int max_terms = 8;    // N: the highest degree in the expansion of the force
constexpr int max_points = 64;  // of the outer rule

// Symmetric 3x3 tensors are stored as xx, yy, zz, xy, xz, yz.
constexpr int tensor = 6;

// lambda_n = 2 (1 + 1/2 + ... + 1/n): K[P_n] = -lambda_n P_n of the slender-body operator.
inline double fiber_lambda(int n) {
  double sum = 0;
  for (int k = 1; k <= n; ++k) sum += 2.0 / k;
  return sum;
}

// d = -ln(eps² e), eps = radius/length.
inline double fiber_d(double slenderness) { return -2 * logarithm(slenderness) - 1; }

// Constants of the balance of a fiber's force, for degrees up to `terms`; entries above are zero, so that the
// coefficients of higher degrees stay zero.
struct FiberConstants {
  double d = 0, doublet = 0;            // 2 eps², the doublet's share of the kernel
  double along = 0, along_inverse = 0;  // n = 1: (4/3)(d - lambda_1) and its inverse, along t alone
  double across_of[max_terms + 1]{};    // n >= 2: (2/(2n+1)) (d + 2 - lambda_n), times I
  double axial_of[max_terms + 1]{};     //         (2/(2n+1)) (d - 2 - lambda_n), times t t
  double gamma[max_terms + 1]{};        // the inverse: gamma_n (I - E_n t t)
  double e[max_terms + 1]{};

  FiberConstants() = default;
  FiberConstants(double slenderness, int terms) {
    d = fiber_d(slenderness);
    doublet = 2 * slenderness * slenderness;
    along = 4.0 / 3.0 * (d - 2);
    along_inverse = 0.75 / (d - 2);
    for (int n = 2; n <= terms; ++n) {
      const double lambda = fiber_lambda(n), norm = 2.0 / (2 * n + 1);
      across_of[n] = norm * (d + 2 - lambda);
      axial_of[n] = norm * (d - 2 - lambda);
      gamma[n] = 1 / (norm * (d + 2 - lambda));
      e[n] = (d - 2 - lambda) / (2 * (d - lambda));
    }
  }
  // Of a fiber of half-length `half` whose radius is that of fibers of half-length 1: its own d, and its equations
  // divided by its half-length (README.md, Fibers of unequal length).
  FiberConstants(double slenderness, int terms, double half) : FiberConstants(slenderness / half, terms) {
    along /= half;
    along_inverse *= half;
    for (int n = 2; n <= terms; ++n) {
      across_of[n] /= half;
      axial_of[n] /= half;
      gamma[n] *= half;
    }
  }
};

// Start of the moments.
enum class Starts {
  published,  // the closed forms of the paper: they cancel if the target is near the extension of the axis
  stable      // the same without cancellation
};

// Squared distance from the target to the centre of a source where the recursion changes from forwards to backwards.
// Smaller in single precision, where the forward recursion would amplify rounding (error bounds: README.md).
template <class Number>
PERTURB_HD constexpr Number fiber_switch(Starts starts) {
  return starts == Starts::stable && sizeof(Number) == sizeof(float) ? Number(4) : Number(10);
}
// Moments I_k = int s^k/r ds, J_k = int s^k/r³, S_k = int s^k/r⁵ over [-1, 1], r² = s² + b s + c.
template <int K, class Real>
struct Moments {
  Real i[K + 1], j[K + 3], s[K + 3];
};

// Input of the recursions for a target: b, c and the distances to the ends of the source.
template <class Real>
struct Target {
  Real b, c, r0, r1, difference;  // difference = r1 - r0
};

// First two of each family. r0: vector from the centre of the source to the target, t: its tangent.
template <Starts starts, int K, class Real>
PERTURB_HD inline Target<Real> fiber_starts(Vector3<Real> r, Vector3<Real> t, Moments<K, Real>& m) {
  Target<Real> target;
  const Real one(1), two(2), three(3), foot = dot(t, r);
  target.b = -two * foot;
  target.c = dot(r, r);
  if constexpr (starts == Starts::published) {
    const Real b = target.b, c = target.c, h2 = c - b * b / Real(4);
    const Real r1 = square_root(one + b + c), r0 = square_root(one - b + c), half = b / two;
    const Real u1 = one + half, u0 = half - one;
    target.r0 = r0;
    target.r1 = r1;
    target.difference = r1 - r0;
    m.i[0] = logarithm(absolute(two * u1 + two * r1)) - logarithm(absolute(two * u0 + two * r0));
    m.i[1] = r1 - r0 - half * m.i[0];
    m.j[0] = u1 / (h2 * r1) - u0 / (h2 * r0);
    m.j[1] = one / r0 - one / r1 - half * m.j[0];
    const Real cube0 = r0 * r0 * r0, cube1 = r1 * r1 * r1;
    m.s[0] = u1 / (three * h2 * cube1) - u0 / (three * h2 * cube0) + two / (three * h2) * m.j[0];
    m.s[1] = one / (three * cube0) - one / (three * cube1) - half * m.s[0];
  } else {
    // With the foot of the target on the axis, a = t.R, and its squared distance to it, h²,
    // taken from the vector itself.
    const Vector3<Real> p = add_scaled(r, -foot, t);
    const Real h2 = dot(p, p), u0 = -one - foot, u1 = one - foot;
    const Real r0 = square_root(multiply_add(u0, u0, h2)), r1 = square_root(multiply_add(u1, u1, h2));
    const Real difference = Real(-4) * foot / (r0 + r1), both = r0 * r1;
    const Real q0 = absolute(u0), q1 = absolute(u1);
    const auto outside = at_least(absolute(foot), one), ahead = at_least(foot, Real(0));
    const Real end0 = q0 + r0, end1 = q1 + r1;
    m.i[0] = logarithm(select(outside, select(ahead, end0, end1), end0 * end1) /
                       select(outside, select(ahead, end1, end0), h2));
    m.j[0] = select(outside, Real(4) * absolute(foot), u1 * r0 - u0 * r1) /
             select(outside, both * multiply_add(q1, r0, q0 * r1), h2 * both);
    const Real q = select(outside, multiply_add(u0, u0, multiply_add(u1, u1, h2)), both - u0 * u1) /
                   select(outside, both * multiply_add(u0, u1, both), h2 * both);
    const Real inverse = one / both, inverse2 = inverse * inverse, squares = multiply_add(r0, r0, r1 * r1);
    m.s[0] = m.j[0] * Real(1.0 / 3.0) * multiply_add(squares, inverse2, q);
    m.i[1] = multiply_add(foot, m.i[0], difference);
    m.j[1] = multiply_add(foot, m.j[0], difference * inverse);
    m.s[1] = multiply_add(foot, m.s[0], difference * (squares + both) * Real(1.0 / 3.0) * (inverse * inverse2));
    target.r0 = r0;
    target.r1 = r1;
    target.difference = difference;
  }
  return target;
}

// Upwards from the starts: rounding grows by c^(1/2) per step, which is harmless near the source.
template <int K, class Real>
PERTURB_HD inline void fiber_forward(const Target<Real>& target, Moments<K, Real>& m) {
  const Real sum = target.r1 + target.r0;
  PERTURB_UNROLL
  for (int k = 2; k <= K + 2; ++k) {
    if (k <= K) {
      const Real end = k % 2 == 0 ? sum : target.difference;  // [s^(k-1) r]
      m.i[k] = (end - Real(k - 0.5) * target.b * m.i[k - 1] - Real(k - 1) * target.c * m.i[k - 2]) * Real(1.0 / k);
    }
    m.j[k] = m.i[k - 2] - target.b * m.j[k - 1] - target.c * m.j[k - 2];
    m.s[k] = m.j[k - 2] - target.b * m.s[k - 1] - target.c * m.s[k - 2];
  }
}

constexpr int last_moment = 27;  // the backward recursions start above it with zeros

// Index from which the backward recursion may begin if c >= `min_c`: the omitted part falls off as c^(-1/2) per
// index.
PERTURB_HD inline int first_index(double min_c) {
  return min_c >= 400 ? 17 : min_c >= 100 ? 20 : min_c >= 40 ? 23 : last_moment;
}

// Downwards from zeros: rounding and the wrong start are damped by c^(1/2) per step. The published kernel keeps its
// closed forms for k = 0, 1; the stable one takes all from here.
template <Starts starts, int K, class Real>
PERTURB_HD inline void fiber_backward(const Target<Real>& target, int first, Moments<K, Real>& m) {
  constexpr int lowest = starts == Starts::published ? 2 : 0;
  const Real inverse = Real(1) / target.c, slope = target.b * inverse;
  const Real end_sum = (target.r1 + target.r0) * inverse, end_difference = target.difference * inverse;
  Real i1(0), i2(0), j1(0), j2(0), s1(0), s2(0);  // at k+1 and k+2
  PERTURB_UNROLL
  for (int k = last_moment; k >= lowest; --k) {
    if (k > K + 2 && k > first) continue;
    const Real end = k % 2 == 0 ? end_sum : end_difference;  // [s^(k+1) r]/c
    const Real i = multiply_add(Real(-(k + 1.5)), slope * i1, multiply_add(Real(-(k + 2)), inverse * i2, end)) *
                   Real(1.0 / (k + 1));
    const Real j = multiply_add(-slope, j1, inverse * (i - j2));
    const Real s = multiply_add(-slope, s1, inverse * (j - s2));
    if (k <= K) m.i[k] = i;
    if (k <= K + 2) {
      m.j[k] = j;
      m.s[k] = s;
    }
    i2 = i1;
    i1 = i;
    j2 = j1;
    j1 = j;
    s2 = s1;
    s1 = s;
  }
}

// All moments. `first`: where the backward recursion begins.
template <Starts starts, int K, class Real>
PERTURB_HD inline void moments(Vector3<Real> r, Vector3<Real> t, int first, Moments<K, Real>& m) {
  using Number = typename NumberOf<Real>::type;
  const auto far = at_least(dot(r, r), Real(fiber_switch<Number>(starts)));
  if (all_of(far)) {
    if constexpr (starts == Starts::published) {
      fiber_backward<starts>(fiber_starts<starts>(r, t, m), first, m);
    } else {  // only the distances to the ends are needed
      Target<Real> target;
      const Real foot = dot(t, r), one(1);
      const Vector3<Real> p = add_scaled(r, -foot, t);
      const Real h2 = dot(p, p), u0 = -one - foot, u1 = one - foot;
      target.b = Real(-2) * foot;
      target.c = dot(r, r);
      target.r0 = square_root(multiply_add(u0, u0, h2));
      target.r1 = square_root(multiply_add(u1, u1, h2));
      target.difference = Real(-4) * foot / (target.r0 + target.r1);
      fiber_backward<starts>(target, first, m);
    }
  } else if (none_of(far)) {
    fiber_forward(fiber_starts<starts>(r, t, m), m);
  } else {  // lanes of both kinds
    Moments<K, Real> back;
    const Target<Real> target = fiber_starts<starts>(r, t, m);
    back = m;
    fiber_forward(target, m);
    fiber_backward<starts>(target, first, back);
    for (int k = 0; k <= K; ++k) m.i[k] = select(far, back.i[k], m.i[k]);
    for (int k = 0; k <= K + 2; ++k) {
      m.j[k] = select(far, back.j[k], m.j[k]);
      m.s[k] = select(far, back.s[k], m.s[k]);
    }
  }
}

// Coefficient of s^j in P_k.
template <int K>
struct Legendre {
  double c[K + 1][K + 1] = {};
  constexpr PERTURB_HD Legendre() {
    c[0][0] = 1;
    c[1][1] = 1;
    for (int k = 1; k < K; ++k)
      for (int j = 0; j <= k + 1; ++j)
        c[k + 1][j] = ((2 * k + 1) * (j > 0 ? c[k][j - 1] : 0) - k * c[k - 1][j]) / (k + 1);
  }
};

// g[k] = int_{-1}^{1} G(r - s t) P_k(s) ds for k = 0..K, with G(R) = I/|R| + RR/|R|³ + doublet (I/|R|³ - 3 RR/|R|⁵).
template <Starts starts, int K, class Real>
PERTURB_HD inline void inner_integral(Vector3<Real> r, Vector3<Real> t, Real doublet, int first,
                                      Real (&g)[K + 1][tensor]) {
  Moments<K, Real> m;
  moments<starts>(r, t, first, m);
  const Real minus3 = Real(-3) * doublet;
  PERTURB_UNROLL
  for (int k = 0; k <= K; ++k) m.i[k] = multiply_add(doublet, m.j[k], m.i[k]);
  PERTURB_UNROLL
  for (int k = 0; k <= K + 2; ++k) m.j[k] = multiply_add(minus3, m.s[k], m.j[k]);
  const Real rr[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
  const Real tt[6] = {t.x * t.x, t.y * t.y, t.z * t.z, t.x * t.y, t.x * t.z, t.y * t.z};
  const Real rt[6] = {r.x * t.x + t.x * r.x, r.y * t.y + t.y * r.y, r.z * t.z + t.z * r.z,
                      r.x * t.y + t.x * r.y, r.x * t.z + t.x * r.z, r.y * t.z + t.y * r.z};
  constexpr Legendre<K> legendre;
  PERTURB_UNROLL
  for (int k = 0; k <= K; ++k) {
    Real a(0), b(0), c(0), d(0);
    PERTURB_UNROLL
    for (int j = k % 2; j <= k; j += 2) {
      const Real weight = Real(static_cast<typename NumberOf<Real>::type>(legendre.c[k][j]));
      a = multiply_add(weight, m.i[j], a);
      b = multiply_add(weight, m.j[j], b);
      c = multiply_add(weight, m.j[j + 1], c);
      d = multiply_add(weight, m.j[j + 2], d);
    }
    PERTURB_UNROLL
    for (int q = 0; q < tensor; ++q) {
      const Real value = multiply_add(b, rr[q], multiply_add(-c, rt[q], d * tt[q]));
      g[k][q] = q < 3 ? value + a : value;
    }
  }
}

// The same for a source of half-length `half`: g[k] = int_{-1}^{1} G(r - half s t) P_k(s) ds.
template <Starts starts, int K, class Real>
PERTURB_HD inline void inner_integral(Vector3<Real> r, Vector3<Real> t, Real half, Real doublet, int first,
                                      Real (&g)[K + 1][tensor]) {
  const Real inverse = Real(1) / half;
  inner_integral<starts, K>(Vector3<Real>{inverse * r.x, inverse * r.y, inverse * r.z}, t, doublet * inverse * inverse,
                            first, g);
  PERTURB_UNROLL
  for (int k = 0; k <= K; ++k) {
    PERTURB_UNROLL
    for (int c = 0; c < tensor; ++c) g[k][c] = g[k][c] * inverse;
  }
}

// The symmetric tensor times a vector, added to `sum`.
template <class Real>
PERTURB_HD inline Vector3<Real> add_product(const Real (&g)[tensor], Vector3<Real> f, Vector3<Real> sum) {
  return {multiply_add(g[0], f.x, multiply_add(g[3], f.y, multiply_add(g[4], f.z, sum.x))),
          multiply_add(g[3], f.x, multiply_add(g[1], f.y, multiply_add(g[5], f.z, sum.y))),
          multiply_add(g[4], f.x, multiply_add(g[5], f.y, multiply_add(g[2], f.z, sum.z)))};
}

// P_0 .. P_K at s.
template <int K, class Real>
PERTURB_HD inline void legendre_values(Real s, Real (&p)[K + 1]) {
  p[0] = Real(1);
  p[1] = s;
  for (int n = 1; n < K; ++n) p[n + 1] = (Real(2 * n + 1) * s * p[n] - Real(n) * p[n - 1]) / Real(n + 1);
}

// Velocity of a lone fiber under the weight F: [(d + 2) F + (d - 2)(t.F) t]/(2d); it does not rotate.
PERTURB_HD inline Vector3<double> lone_velocity(Vector3<double> t, Vector3<double> force, double d) {
  const double axial = (d - 2) * dot(t, force), scale = 1 / (2 * d);
  return {((d + 2) * force.x + axial * t.x) * scale, ((d + 2) * force.y + axial * t.y) * scale,
          ((d + 2) * force.z + axial * t.z) * scale};
}

// Flow of a point force, smoothed over `core`: the regularised Stokeslet of Cortez, SIAM J. Sci. Comput. 23 (2001), in
// the scale of G above (without 1/(8 pi mu)).
PERTURB_HD inline Vector3<double> point_force(Vector3<double> r, Vector3<double> force, double core) {
  const double r2 = dot(r, r), e2 = core * core, inverse = 1 / ::sqrt(r2 + e2), cube = inverse * inverse * inverse;
  const double isotropic = (r2 + 2 * e2) * cube, axial = dot(r, force) * cube;
  return {isotropic * force.x + axial * r.x, isotropic * force.y + axial * r.y, isotropic * force.z + axial * r.z};
}

}  // namespace perturb::fibers
