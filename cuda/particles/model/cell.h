// Physics of a disc, of a disc and a wall, and of a pair of discs. Every kernel of both backends calls these.
//
// One step of unit time, exactly (Loo & Lee, "Discrete Particle Simulation with CUDA", 2019):
//   1. candidates   the collisions on straight paths within this step
//   2. order        by time; then by the id P; then wall before pair; then by the id Q (P < Q)
//   3. filter       in that order, a candidate is taken unless one of its discs has collided already in this step
//   4. settle       a disc moves to its collision, collides, and moves on for the rest of the step
#pragma once

#include <cmath>

#include "cuda/core/backend/host_device.h"

namespace perturb::particles {

// Position and velocity (lengths per step).
template <class Real>
struct alignas(4 * sizeof(Real)) Disc {
  Real x = 0, y = 0, vx = 0, vy = 0;
};

// Used if discs are not all equal.
template <class Real>
struct alignas(2 * sizeof(Real)) DiscKind {
  Real radius = 1, mass = 1;
};

// Box: its left and lower walls are at 0, the right one at `right` when the step begins and moving at `push` (a
// piston).
template <class Real>
struct DiscBox {
  Real right = 1, top = 1;
  Real push = 0;
};

// A disc this near to a wall, in lengths, touches it.
constexpr double wall_tolerance = 1e-8;

// a·b + c, with one rounding if contraction is requested: what a compiler that may contract makes of the formulas.
template <bool contract, class Real>
PERTURB_HD inline Real product_sum(Real a, Real b, Real c) {
  if constexpr (contract)
    return multiply_add(a, b, c);
  else
    return a * b + c;
}

// Partner in a collision: another disc (an index that is not negative), a wall, or none.
constexpr int no_partner = -1, wall_partner = -2;

// Order of two candidates of the same time, by the ids of their discs: p < q, and q = -1 for a wall, which comes before
// pairs.
PERTURB_HD inline bool earlier_by_id(int p, int q, int other_p, int other_q) {
  return p != other_p ? p < other_p : q < other_q;
}

// Collision of a disc with walls within the step: the time (2: none), and which velocity components are reversed.
template <class Real>
struct WallHit {
  Real time = 2;
  bool across = false, along = false;  // the side walls (reverses vx), the floor and the ceiling (reverses vy)
  bool piston = false;                 // of the side walls, the right one
};

// Time at which a coordinate moving from `from` at `speed` reaches `wall`, if it does so within this step.
template <class Real>
PERTURB_HD inline Real arrival(Real from, Real speed, Real wall) {
  const Real t = (wall - from) / speed;
  return t > Real(0) ? (t < Real(1) ? t : Real(1)) : Real(0);
}

// Whether wall_hit may find a collision. Fast; if it returns false, there is none.
template <class Real>
PERTURB_HD inline bool comes_near_wall(const Disc<Real>& d, Real radius, const DiscBox<Real>& box) {
  const Real near = radius + static_cast<Real>(wall_tolerance);
  const Real end_x = d.x + d.vx, end_y = d.y + d.vy;
  const int inside = static_cast<int>(end_x > near) & static_cast<int>(end_y > near) &
                     static_cast<int>(end_x < box.right + box.push - near) & static_cast<int>(end_y < box.top - near);
  return inside == 0;
}

// `radius` is the disc's. A corner, which both components reach at once (or within the tolerance), reverses both.
template <class Real>
PERTURB_HD inline WallHit<Real> wall_hit(const Disc<Real>& d, Real radius, const DiscBox<Real>& box) {
  const Real near = radius + static_cast<Real>(wall_tolerance);
  const Real side = box.right - radius, ceiling = box.top - radius;
  const Real end_x = d.x + d.vx, end_y = d.y + d.vy;
  const Real closing = d.vx - box.push;
  Real tx = 2, ty = 2;
  WallHit<Real> hit;
  if (d.vx < Real(0) && end_x <= near)
    tx = arrival(d.x, d.vx, radius);
  else if (closing > Real(0) && end_x >= box.right + box.push - near)
    tx = arrival(d.x, closing, side), hit.piston = true;
  if (d.vy < Real(0) && end_y <= near)
    ty = arrival(d.y, d.vy, radius);
  else if (d.vy > Real(0) && end_y >= box.top - near)
    ty = arrival(d.y, d.vy, ceiling);
  hit.time = tx < ty ? tx : ty;
  if (hit.time > Real(1)) return hit;
  hit.across = tx <= hit.time, hit.along = ty <= hit.time;
  const Real tolerance = static_cast<Real>(wall_tolerance);
  if (!hit.across && tx <= Real(1)) {
    hit.across = (tx - hit.time) * (hit.piston ? closing : -d.vx) <= tolerance;
  }
  if (!hit.along && ty <= Real(1)) {
    hit.along = (ty - hit.time) * (d.vy < Real(0) ? -d.vy : d.vy) <= tolerance;
  }
  return hit;
}

// Time at which two discs touch: the smaller root of |d + w t|² = reach², where `reach` is the sum of their radii; 2 if
// they do not touch within the step. A pair that overlaps already has touched in the past: the two pass through each
// other. Swapping the two discs changes no bit: every product has a factor of each difference.
template <bool contract, class Real>
PERTURB_HD inline Real pair_time(const Disc<Real>& p, const Disc<Real>& q, Real reach) {
  const Real dx = q.x - p.x, dy = q.y - p.y, wx = q.vx - p.vx, wy = q.vy - p.vy;
  const Real a = product_sum<contract>(wx, wx, wy * wy);
  const Real b = Real(2) * product_sum<contract>(dx, wx, dy * wy);
  const Real c = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach)));
  const Real discriminant = product_sum<contract>(b, b, -(Real(4) * a * c));
  // With b > 0 they move apart, and both roots are negative. Both conditions are one test, of a number. With two tests,
  // a compiler may put first the one that is true half of the time, and a misprediction costs more than everything
  // else.
  const Real fit = -b < discriminant ? -b : discriminant;
  if (!(fit >= Real(0)) || !(a > Real(0))) return 2;
  const Real t = (-b - std::sqrt(discriminant)) / (Real(2) * a);
  return t >= Real(0) && t <= Real(1) ? t + Real(0) : Real(2);  // -0 becomes 0
}

template <bool contract, class Real>
PERTURB_HD inline void move(Disc<Real>& d, Real time) {
  d.x = product_sum<contract>(d.vx, time, d.x);
  d.y = product_sum<contract>(d.vy, time, d.y);
}

// Puts a disc that would leave the box by the end of the step on the wall.
template <class Real>
PERTURB_HD inline void keep_inside(Disc<Real>& d, Real radius, const DiscBox<Real>& box) {
  const Real side = box.right + box.push - radius, ceiling = box.top - radius;
  if (d.x > side) d.x = side;
  if (d.x < radius) d.x = radius;
  if (d.y > ceiling) d.y = ceiling;
  if (d.y < radius) d.y = radius;
}

// Disc after a step in which it hits walls. `momentum` receives what it gives to the walls, per unit mass.
template <bool contract, class Real>
PERTURB_HD inline Disc<Real> settle_wall(Disc<Real> d, Real radius, const DiscBox<Real>& box, const WallHit<Real>& hit,
                                         Real& momentum) {
  move<contract>(d, hit.time);
  momentum = 0;
  if (hit.across) {
    // Relative to a wall at speed u, the component is reversed: v' = 2u - v. The left wall is at rest.
    const Real after = hit.piston ? Real(2) * box.push - d.vx : -d.vx;
    momentum += after > d.vx ? after - d.vx : d.vx - after;
    d.vx = after;
  }
  if (hit.along) {
    momentum += Real(2) * (d.vy < Real(0) ? -d.vy : d.vy);
    d.vy = -d.vy;
  }
  move<contract>(d, Real(1) - hit.time);
  keep_inside(d, radius, box);
  return d;
}

// Disc after a step in which it collides with `other`. At the collision the velocity components along the line of
// centres are exchanged (for equal masses; otherwise by conservation of momentum and energy). Both discs compute
// bit-identical results.
template <bool contract, class Real>
PERTURB_HD inline Disc<Real> settle_pair(Disc<Real> self, Disc<Real> other, const DiscKind<Real>& kind,
                                         const DiscKind<Real>& other_kind, const DiscBox<Real>& box) {
  const Real time = pair_time<contract>(self, other, kind.radius + other_kind.radius);
  move<contract>(self, time);
  move<contract>(other, time);
  const Real nx = other.x - self.x, ny = other.y - self.y;
  const Real distance2 = product_sum<contract>(nx, nx, ny * ny);
  if (distance2 > Real(0)) {
    const Real wx = other.vx - self.vx, wy = other.vy - self.vy;
    const Real along = product_sum<contract>(wx, nx, wy * ny) / distance2;
    const Real given =
        Real(2) * other_kind.mass / (kind.mass + other_kind.mass) * along;  // equal masses: the factor is 1
    self.vx = product_sum<contract>(given, nx, self.vx), self.vy = product_sum<contract>(given, ny, self.vy);
  }
  move<contract>(self, Real(1) - time);
  keep_inside(self, kind.radius, box);
  return self;
}

// Disc after a step without a collision.
template <bool contract, class Real>
PERTURB_HD inline Disc<Real> settle_free(Disc<Real> d) {
  move<contract>(d, Real(1));
  return d;
}

}  // namespace perturb::particles
