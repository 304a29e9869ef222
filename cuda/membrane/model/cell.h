// The physics at one point of the membrane: weights, local polynomials, the integrands and the load. Pure functions of
// values.
//
// Kanis, "GPU-based Assembly of Stiffness Matrices in the Parallel Multilevel Partition of Unity Method" (2012); the
// method: Schweitzer, "A Parallel Multilevel Partition of Unity Method for Elliptic Partial Differential Equations",
// LNCSE 29 (2003).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/gauss_rule.h"
#include "cuda/core/simulation/formula.h"
#include "cuda/membrane/model/domain.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

constexpr int max_powers = membrane_max_degree + 1;  // of one variable
// The polynomials, and the singular function of an enriched patch.
constexpr int max_functions = (membrane_max_degree + 1) * (membrane_max_degree + 2) / 2 + 1;
constexpr int max_points = max_integration_level + 1;
// Patches over one point: 4 in a uniform cover, a few more where cells of different size are adjacent.
constexpr int max_patches_over_point = 16;

// Polynomials of total degree <= p in two variables; none for p = -1.
PERTURB_HD constexpr int membrane_functions(int degree) { return (degree + 1) * (degree + 2) / 2; }

// Local function n is P_a(x)·P_b(y). Ordered by total degree a + b, so that raising a patch's degree only adds
// functions.
struct Powers {
  int a, b;
};
PERTURB_HD inline Powers membrane_powers(int n) {
  int total = 0;
  while (membrane_functions(total) <= n) ++total;
  const int b = n - total * (total + 1) / 2;
  return {total - b, b};
}
PERTURB_HD constexpr int function_of(int a, int b) { return (a + b) * (a + b + 1) / 2 + b; }

// Values and derivatives of P_0 .. P_degree at t: Legendre polynomials on [-1, 1], or the powers of t.
PERTURB_HD inline void polynomials(Basis basis, int degree, double t, double* value, double* slope) {
  value[0] = 1;
  slope[0] = 0;
  if (degree < 1) return;
  value[1] = t;
  slope[1] = 1;
  for (int k = 2; k <= degree; ++k) {
    if (basis == Basis::legendre) {
      value[k] = ((2 * k - 1) * t * value[k - 1] - (k - 1) * value[k - 2]) / k;
      slope[k] = slope[k - 2] + (2 * k - 1) * value[k - 1];
    } else {
      value[k] = value[k - 1] * t;
      slope[k] = k * value[k - 1];
    }
  }
}
PERTURB_HD inline void polynomial_values(Basis basis, int degree, double t, double* value) {
  value[0] = 1;
  if (degree < 1) return;
  value[1] = t;
  for (int k = 2; k <= degree; ++k)
    value[k] =
        basis == Basis::legendre ? ((2 * k - 1) * t * value[k - 1] - (k - 1) * value[k - 2]) / k : value[k - 1] * t;
}

// A patch: the square around (x, y) with this half-width, its polynomial degree, and the index of its first unknown.
// Outside of the domain its degree is -1: it has no functions.
struct Patch {
  double x = 0, y = 0, half = 1;
  int degree = 1;
  int level = 0;  // its cell's side is 2^-level
  std::int64_t first = 0;
  bool enriched = false;  // its last function is the singular one

  PERTURB_HD int functions() const { return membrane_functions(degree) + (enriched ? 1 : 0); }
  PERTURB_HD bool covers(double px, double py) const {
    return px > x - half && px < x + half && py > y - half && py < y + half;
  }
};

// One-dimensional hat function, 1 in the middle and 0 at the ends, and its slope.
PERTURB_HD inline double hat(double t) {
  const double value = 1 - (t < 0 ? -t : t);
  return value > 0 ? value : 0;
}
PERTURB_HD inline double hat_slope(double t, double half) { return (t < 0 ? 1 : -1) / half; }

// Shepard's functions phi_i = W_i / sum W_k and their gradients at one point.
struct Weights {
  int count = 0;
  double phi[max_patches_over_point], phi_x[max_patches_over_point], phi_y[max_patches_over_point];

  // `patch(k)` returns the k-th of the patches that may cover the point.
  template <class Patches>
  PERTURB_HD void at(double x, double y, int patches, const Patches& patch) {
    count = patches;
    double sum = 0, sum_x = 0, sum_y = 0;
    for (int k = 0; k < count; ++k) {
      const Patch& p = patch(k);
      const double tx = (x - p.x) / p.half, ty = (y - p.y) / p.half;
      const double wx = hat(tx), wy = hat(ty);
      phi[k] = wx * wy;
      phi_x[k] = phi[k] > 0 ? hat_slope(tx, p.half) * wy : 0;
      phi_y[k] = phi[k] > 0 ? wx * hat_slope(ty, p.half) : 0;
      sum += phi[k];
      sum_x += phi_x[k];
      sum_y += phi_y[k];
    }
    const double inverse = 1 / sum, squared = inverse * inverse;
    for (int k = 0; k < count; ++k) {
      phi_x[k] = (phi_x[k] * sum - phi[k] * sum_x) * squared;
      phi_y[k] = (phi_y[k] * sum - phi[k] * sum_y) * squared;
      phi[k] *= inverse;
    }
  }
};

// All of a patch's shape functions phi·psi_n and their gradients at one point.
struct Shapes {
  double value[max_functions], x[max_functions], y[max_functions];

  PERTURB_HD void at(const Patch& p, Basis basis, double px, double py, double phi, double phi_x, double phi_y) {
    double vx[max_powers], sx[max_powers], vy[max_powers], sy[max_powers];
    polynomials(basis, p.degree, (px - p.x) / p.half, vx, sx);
    polynomials(basis, p.degree, (py - p.y) / p.half, vy, sy);
    const double inverse = 1 / p.half;
    int n = 0;
    for (int total = 0; total <= p.degree; ++total)
      for (int b = 0; b <= total; ++b, ++n) {
        const int a = total - b;
        const double psi = vx[a] * vy[b];
        value[n] = phi * psi;
        x[n] = phi_x * psi + phi * sx[a] * vy[b] * inverse;
        y[n] = phi_y * psi + phi * vx[a] * sy[b] * inverse;
      }
  }
  // The singular function of an enriched patch, after those.
  PERTURB_HD void enrich(const Patch& p, const Singular& s, double phi, double phi_x, double phi_y) {
    const int n = membrane_functions(p.degree);
    value[n] = phi * s.value;
    x[n] = phi_x * s.value + phi * s.x;
    y[n] = phi_y * s.value + phi * s.y;
  }
};

// One factor of a mode of the unit interval: zero at fixed ends, zero slope at free ones.
struct ModeFactor {
  double k = 0;
  bool cosine = false;
  PERTURB_HD double value(double x) const { return cosine ? perturb::cosine(k * x) : sine(k * x); }
  PERTURB_HD double slope(double x) const { return cosine ? -k * sine(k * x) : k * perturb::cosine(k * x); }
};

// The load f: a product of a function of x and one of y, plus a formula.
struct Source {
  Load kind = Load::bump;
  double x = 0.5, y = 0.5, per_width = 10, strength = 1;
  ModeFactor wave_x, wave_y;                // of a known mode
  const FormulaProgram* formula = nullptr;  // in the host's memory; not part of operator()
  double of_formula = 0;                    // its factor

  PERTURB_HD double factor_x(double px) const {
    if (kind == Load::mode) return wave_x.value(px);
    const double t = (px - x) * per_width;
    return exponential(-t * t);
  }
  PERTURB_HD double factor_y(double py) const {
    if (kind == Load::mode) return wave_y.value(py);
    const double t = (py - y) * per_width;
    return exponential(-t * t);
  }
  PERTURB_HD double operator()(double px, double py) const { return strength * factor_x(px) * factor_y(py); }
};

// Boundary data as a function g on the whole square: fixed sides take its value, free ones its slope dg/dn. frame:
// bilinear between the corners' heights, c0 + c1 x + c2 y + c3 x y. wave: A sin(m pi x) sinh(q y)/sinh(q), which is
// zero on all sides except the top. corner: A s, the singular function of the domain, which is zero on the edges at the
// tip. With q = m pi the Laplacian of all is zero.
struct Rim {
  RimShape shape = RimShape::flat;
  double c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  double height = 0, along = 0, up = 1;  // A, m pi and q
  Domain domain;

  PERTURB_HD bool is_flat() const { return shape == RimShape::flat; }
  PERTURB_HD double value(double x, double y) const {
    if (shape == RimShape::frame) return c0 + c1 * x + (c2 + c3 * x) * y;
    if (shape == RimShape::corner) return height * domain.singular(x, y).value;
    return shape == RimShape::wave ? height * sine(along * x) * rise(y, -1) : 0;
  }
  PERTURB_HD double slope_x(double x, double y) const {
    if (shape == RimShape::frame) return c1 + c3 * y;
    if (shape == RimShape::corner) return height * domain.singular(x, y).x;
    return shape == RimShape::wave ? height * along * cosine(along * x) * rise(y, -1) : 0;
  }
  PERTURB_HD double slope_y(double x, double y) const {
    if (shape == RimShape::frame) return c2 + c3 * x;
    if (shape == RimShape::corner) return height * domain.singular(x, y).y;
    return shape == RimShape::wave ? height * up * sine(along * x) * rise(y, 1) : 0;
  }

 private:
  // sinh(q y)/sinh(q) with sign -1, cosh(q y)/sinh(q) with 1; no term overflows below the top.
  PERTURB_HD double rise(double y, double sign) const {
    return exponential(up * (y - 1)) * (1 + sign * exponential(-2 * up * y)) / (1 - exponential(-2 * up));
  }
};

// The exact solution, if known: a mode, and the part from the boundary values.
struct Known {
  bool is_known = false;
  double height = 0;
  ModeFactor wave_x, wave_y;
  Rim rim;
  PERTURB_HD double value(double x, double y) const {
    return height * wave_x.value(x) * wave_y.value(y) + rim.value(x, y);
  }
  PERTURB_HD double slope_x(double x, double y) const {
    return height * wave_x.slope(x) * wave_y.value(y) + rim.slope_x(x, y);
  }
  PERTURB_HD double slope_y(double x, double y) const {
    return height * wave_x.value(x) * wave_y.slope(y) + rim.slope_y(x, y);
  }
};

// A Gauss-Legendre rule on [-1, 1], of 1 .. max_points points.
struct Rule {
  int count = 1;
  double point[max_points] = {}, weight[max_points] = {};
};
inline const Rule& membrane_gauss_rule(int points) {
  PERTURB_ASSERT(points >= 1 && points <= max_points);
  // Each step makes the form, with two rules: computing them took a tenth of the step of a small membrane.
  static const std::array<Rule, max_points> rules = [] {
    std::array<Rule, max_points> all;
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k].count = static_cast<int>(k + 1);
      gauss_rule({all[k].point, k + 1}, {all[k].weight, k + 1});
    }
    return all;
  }();
  return rules[static_cast<std::size_t>(points - 1)];
}

}  // namespace perturb::membrane
