// Physics of the rule `exact`: when a disc and a wall or two discs touch, and the result, in continuous time.
//
// The state of a disc is its state at its own last collision. Its next collision is computed from that state and from
// the other disc's, never from a common clock. So the arithmetic does not depend on the order of independent
// collisions, nor on how a step is cut.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/particles/model/cell.h"

namespace perturb::particles {

// Position of a disc at `time` of the step (0 ... 1), and its velocity since then.
template <class Real>
struct TimedDisc {
  Real x = 0, y = 0, vx = 0, vy = 0;
  Real time = 0;
};

// Later than every time of a step.
template <class Real>
inline constexpr Real never = 2;

template <class Real>
PERTURB_HD inline TimedDisc<Real> timed_disc(const Disc<Real>& d, Real time) {
  return {d.x, d.y, d.vx, d.vy, time};
}
template <class Real>
PERTURB_HD inline void advance(TimedDisc<Real>& d, Real time) {
  const Real span = time - d.time;
  d.x = multiply_add(d.vx, span, d.x), d.y = multiply_add(d.vy, span, d.y);
  d.time = time;
}

template <class Real>
PERTURB_HD inline Real within_step(Real time) {
  return time <= Real(1) ? time : never<Real>;  // NaN becomes never
}

// Span from `now` to `until`, with a margin for rounding.
template <class Real>
PERTURB_HD inline Real later_span(Real now, Real until) {
  return multiply_add(until - now, Real(1.0001), Real(16) * std::numeric_limits<Real>::epsilon());
}

// Time at which two discs touch, not before the later of their own times; `never` if not within the step. `reach` is
// the sum of their radii. Swapping the two discs changes no bit.
//   With d and w at that time, b = d·w: they approach if b < 0, and are in contact if d² <= reach². Otherwise the
//   smaller root of |d + w t| = reach, with the discriminant as reach² w² - (d × w)² and the root as c / (-b + √D), in
//   which nothing cancels.
// An approach at contact that is not faster than the rounding of the velocities is ignored: exchanging it would change
// no bit, and would be repeated forever.
// A collision after `until` may return `never`: this is found without the root and the division, which take most of the
// time.
template <class Real>
PERTURB_HD inline Real exact_pair_time(TimedDisc<Real> p, TimedDisc<Real> q, Real reach, Real until = 1) {
  const Real now = p.time > q.time ? p.time : q.time;
  advance(p, now), advance(q, now);
  const Real dx = q.x - p.x, dy = q.y - p.y, wx = q.vx - p.vx, wy = q.vy - p.vy;
  const Real b = multiply_add(dx, wx, dy * wy);
  if (!(b < Real(0))) return never<Real>;
  const Real reach2 = reach * reach;
  const Real c = multiply_add(dx, dx, dy * dy) - reach2;
  const Real a = multiply_add(wx, wx, wy * wy), across = multiply_add(dx, wy, -(dy * wx));
  const Real discriminant = multiply_add(reach2, a, -(across * across));
  const Real approach2 = c > Real(0) ? discriminant : b * b;
  const Real epsilon = 8 * std::numeric_limits<Real>::epsilon();
  const Real speed2 = multiply_add(p.vx, p.vx, p.vy * p.vy) + multiply_add(q.vx, q.vx, q.vy * q.vy);
  if (!(approach2 > epsilon * epsilon * reach2 * speed2)) return never<Real>;
  if (!(c > Real(0))) return within_step(now);
  // later than `until` if c / (√D - b) > span, or (c + b span)² > D span² with c + b span > 0; rounding aside
  const Real span = later_span(now, until), left = multiply_add(b, span, c);
  if (left > Real(1e-3) * c && left * left > Real(1.001) * discriminant * span * span) return never<Real>;
  return within_step(now + c / (std::sqrt(discriminant) - b));
}

template <class Real>
PERTURB_HD inline Real arrival_of(Real now, Real gap, Real speed) {
  return within_step(gap > Real(0) ? now + gap / speed : now);
}

// Time and position at which a disc hits walls next. A piston is at right + push·time at a time of the step. A
// collision after `until` may return `never`, which is found without a division if walls are at rest.
template <class Real>
PERTURB_HD inline WallHit<Real> exact_wall_hit(const TimedDisc<Real>& d, Real radius, const DiscBox<Real>& box,
                                               Real until = 1) {
  Real tx = never<Real>, ty = never<Real>;
  WallHit<Real> hit;
  const Real span = later_span(d.time, until);
  const Real far_x = (d.vx < Real(0) ? -d.vx : d.vx) * span, far_y = (d.vy < Real(0) ? -d.vy : d.vy) * span;
  if (box.push == Real(0) && d.x - radius > far_x && box.right - radius - d.x > far_x && d.y - radius > far_y &&
      box.top - radius - d.y > far_y) {
    hit.time = never<Real>;
    return hit;
  }
  if (d.vx < Real(0)) tx = arrival_of(d.time, d.x - radius, -d.vx);
  const Real closing = d.vx - box.push;
  if (closing > Real(0)) {
    const Real t = arrival_of(d.time, multiply_add(box.push, d.time, box.right) - radius - d.x, closing);
    if (t < tx) tx = t, hit.piston = true;
  }
  if (d.vy < Real(0)) ty = arrival_of(d.time, d.y - radius, -d.vy);
  if (d.vy > Real(0)) ty = arrival_of(d.time, box.top - radius - d.y, d.vy);
  hit.time = tx < ty ? tx : ty;
  if (hit.time > Real(1)) return hit;
  hit.across = tx <= hit.time, hit.along = ty <= hit.time;
  return hit;
}

// Disc after its wall collision. `momentum` receives what it gives to the walls, per unit mass.
template <class Real>
PERTURB_HD inline TimedDisc<Real> exact_settle_wall(TimedDisc<Real> d, Real radius, const DiscBox<Real>& box,
                                                    const WallHit<Real>& hit, Real& momentum) {
  const bool low = d.vy < Real(0);
  advance(d, hit.time);
  momentum = 0;
  if (hit.across) {
    const Real after = hit.piston ? Real(2) * box.push - d.vx : -d.vx;
    momentum += after > d.vx ? after - d.vx : d.vx - after;
    d.x = hit.piston ? multiply_add(box.push, hit.time, box.right) - radius : radius;
    d.vx = after;
  }
  if (hit.along) {
    momentum += Real(2) * (low ? -d.vy : d.vy);
    d.y = low ? radius : box.top - radius;
    d.vy = -d.vy;
  }
  return d;
}

// `self` after its collision with `other` at `time`. Both discs compute the same exchange.
template <class Real>
PERTURB_HD inline TimedDisc<Real> exact_settle_pair(TimedDisc<Real> self, TimedDisc<Real> other, Real time,
                                                    const DiscKind<Real>& kind, const DiscKind<Real>& other_kind) {
  advance(self, time), advance(other, time);
  const Real nx = other.x - self.x, ny = other.y - self.y;
  const Real wx = other.vx - self.vx, wy = other.vy - self.vy;
  const Real b = multiply_add(wx, nx, wy * ny), distance2 = multiply_add(nx, nx, ny * ny);
  if (!(b < Real(0))) return self;  // a grazing contact that rounding has turned into a separation
  const Real given = Real(2) * other_kind.mass / (kind.mass + other_kind.mass) * (b / distance2);
  self.vx = multiply_add(given, nx, self.vx), self.vy = multiply_add(given, ny, self.vy);
  return self;
}

// Position when the step ends.
template <class Real>
PERTURB_HD inline Disc<Real> exact_end(TimedDisc<Real> d, Real radius, const DiscBox<Real>& box) {
  advance(d, Real(1));
  Disc<Real> there{d.x, d.y, d.vx, d.vy};
  keep_inside(there, radius, box);
  return there;
}

}  // namespace perturb::particles
