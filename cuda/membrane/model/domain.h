// The domain: the unit square, all of it, without its lower right quarter (L), or slit from its middle to the right
// side. The re-entrant corner of the L and the end of the slit, both in the middle, are the *tip*. The edges at the tip
// are fixed.
//
// At the tip the solution is not smooth. With the angle theta from the edge at the right, counterclockwise up to
// omega = 3 pi/2 (L) or 2 pi (slit), and r the distance from the tip, it begins with a multiple of
//   s = r^(pi/omega) sin(pi theta/omega),
// whose Laplacian is zero (Grisvard, "Elliptic Problems in Nonsmooth Domains", 1985). Polynomials approximate s slowly:
// on even covers the error in the energy norm falls as h^(pi/omega), whatever their degree is. The enrichment adds s to
// the local spaces near the tip.
#pragma once

#include <cmath>
#include <numbers>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/elementary.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// s and its gradient at one point.
struct Singular {
  double value = 0, x = 0, y = 0;
};

// r in [0, 1] and dr/dt, for t from 0 to 1.
struct Graded {
  double r, slope;
};

struct Domain {
  DomainShape shape = DomainShape::square;
  double radius = 0;  // patches within this distance of the tip are enriched; 0: none

  static constexpr double tip = 0.5;  // both coordinates

  PERTURB_HD bool has_tip() const { return shape != DomainShape::square; }
  PERTURB_HD bool enriches() const { return has_tip() && radius > 0; }
  // Of a point of the unit square. The edges at the right of the tip count to the upper part.
  PERTURB_HD bool contains(double x, double y) const { return shape != DomainShape::l || x < tip || y >= tip; }
  // Whether the patch around (x, y) with this half-width and degree gets s: not where s is nearly one of its
  // polynomials, so that rounding would decide about their coefficients. If a patch gets it, so do those that
  // contain it.
  bool enriches(double x, double y, double half, int degree) const {
    if (!enriches() || square_of_distance(x - half, x + half, y - half, y + half) >= radius * radius) return false;
    constexpr double least = 1e-6;
    const double away = std::hypot(x - tip, y - tip) / half;
    return away < 1 || std::pow(0.5 / away, degree + 1) > least;
  }

  // pi/omega; 1 where there is no tip, so that s is the plane y - 1/2.
  PERTURB_HD double exponent() const {
    return shape == DomainShape::l ? 2.0 / 3 : shape == DomainShape::slit ? 0.5 : 1.0;
  }
  PERTURB_HD Singular singular(double px, double py) const {
    const double a = px - tip, b = py - tip, r2 = a * a + b * b, power = exponent();
    if (!has_tip()) return {b, 0, 1};
    if (!(r2 > 0)) return {};
    double angle = ::atan2(b, a);
    if (angle < 0) angle += 2 * std::numbers::pi;
    const double size = exponential(0.5 * power * logarithm(r2)), slope = power * size / ::sqrt(r2);
    return {size * sine(power * angle), slope * sine((power - 1) * angle), slope * cosine((power - 1) * angle)};
  }

  // Quadrature at the tip, for a point t of a rule on [-1, 1]. In polar coordinates with this r all integrals of
  // products of s, polynomials and their gradients are those of polynomials in t.
  PERTURB_HD Graded graded(double point) const {
    const double t = 0.5 * (1 + point);
    if (shape == DomainShape::l) return {t * t * t, 3 * t * t};
    return shape == DomainShape::slit ? Graded{t * t, 2 * t} : Graded{t, 1};
  }
  // Whether a rectangle is so near the tip, compared with its size, that s is far from a polynomial there.
  PERTURB_HD bool is_near(double x0, double x1, double y0, double y1) const {
    if (!has_tip()) return false;
    const double size = x1 - x0 > y1 - y0 ? x1 - x0 : y1 - y0;
    return square_of_distance(x0, x1, y0, y1) < 9 * size * size;
  }

  // Whether a rectangle of the domain has one of the edges at the tip as this side (0 left, 1 right, 2 bottom, 3 top).
  PERTURB_HD bool has_edge(double x0, double x1, double y0, double y1, int side) const {
    if (!has_tip()) return false;
    if (side == 2) return y0 == tip && x0 >= tip;
    if (side == 3) return shape == DomainShape::slit && y1 == tip && x0 >= tip;
    return side == 1 && shape == DomainShape::l && x1 == tip && y1 <= tip;
  }

 private:
  // From the tip to a rectangle.
  PERTURB_HD static double square_of_distance(double x0, double x1, double y0, double y1) {
    const double a = x0 > tip ? x0 - tip : x1 < tip ? tip - x1 : 0, b = y0 > tip ? y0 - tip : y1 < tip ? tip - y1 : 0;
    return a * a + b * b;
  }
};

inline bool operator==(const Domain& a, const Domain& b) { return a.shape == b.shape && a.radius == b.radius; }

inline Domain membrane_domain(const Parameters& p) {
  return {p.domain, p.domain == DomainShape::square ? 0 : p.enrichment};
}

}  // namespace perturb::membrane
