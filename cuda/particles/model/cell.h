// Physics of a disc, of a disc and a wall, and of a pair of discs. Every kernel of both backends calls these.
//
// One step of unit time, exactly (Loo & Lee, "Discrete Particle Simulation with CUDA", 2019):
//   1. candidates   the collisions on straight paths within this step
//   2. order        by time; then by the id P; then wall before pair; then by the id Q (P < Q)
//   3. filter       in that order, a candidate is taken unless one of its discs has collided already in this step
//   4. settle       a disc moves to its collision, collides, and moves on for the rest of the step
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"

namespace perturb::particles {

// Position and velocity (lengths per step).
template <class Real>
struct alignas(4 * sizeof(Real)) Disc {
  Real x = 0, y = 0, vx = 0, vy = 0;
};

// Used if discs are not all equal.
template <class Real>
struct alignas(2 * sizeof(Real)) Kind {
  Real radius = 1, mass = 1;
};

// Discs of one kind in a mixture.
struct DiscsOfKind {
  double radius = 1, mass = 1, count = 0;
};

// Box: its left and lower walls are at 0, the right one at `right` when the step begins and moving at `push` (a
// piston).
template <class Real>
struct Box {
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

// Impulse, heat and work between discs and walls, in units of WallUnits. Integers: a sum does not depend on its order.
struct WallGains {
  std::int64_t impulse = 0;  // given to the walls
  std::int64_t heat = 0;     // energy that the discs got from walls with a temperature, and by the action `heat`
  std::int64_t work = 0;     // energy that the discs got from the moving wall
};
struct WallUnits {
  double impulse = 1, energy = 1;
};
// The same in one collision, per unit mass.
template <class Real>
struct WallExchange {
  Real momentum = 0;
  double heat = 0, work = 0;
};
// To the nearest unit. Numbers beyond the range of integers are left out.
PERTURB_HD inline std::int64_t energy_units(double energy, const WallUnits& units) {
  const double number = energy / units.energy;
  return number < 9e15 && number > -9e15 ? static_cast<std::int64_t>(number < 0 ? number - 0.5 : number + 0.5) : 0;
}
template <class Real>
PERTURB_HD inline void add_exchange(WallGains& gains, const WallExchange<Real>& exchange, Real mass,
                                    const WallUnits& units) {
  const double impulse = static_cast<double>(exchange.momentum * mass) / units.impulse;
  if (impulse < 9e15) gains.impulse += static_cast<std::int64_t>(impulse);
  if (exchange.heat != 0) gains.heat += energy_units(static_cast<double>(mass) * exchange.heat, units);
  if (exchange.work != 0) gains.work += energy_units(static_cast<double>(mass) * exchange.work, units);
}

// Kinetic energy per unit mass.
template <class Body>
PERTURB_HD inline double kinetic_energy(const Body& d) {
  const double vx = static_cast<double>(d.vx), vy = static_cast<double>(d.vy);
  return 0.5 * (vx * vx + vy * vy);
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
  bool floor = false;                  // of the other two, the floor (rule `exact`)
};

// Time at which a coordinate moving from `from` at `speed` reaches `wall`, if it does so within this step.
template <class Real>
PERTURB_HD inline Real arrival(Real from, Real speed, Real wall) {
  const Real t = (wall - from) / speed;
  return t > Real(0) ? (t < Real(1) ? t : Real(1)) : Real(0);
}

// Whether wall_hit may find a collision. Fast; if it returns false, there is none.
template <class Real>
PERTURB_HD inline bool comes_near_wall(const Disc<Real>& d, Real radius, const Box<Real>& box) {
  const Real near = radius + static_cast<Real>(wall_tolerance);
  const Real end_x = d.x + d.vx, end_y = d.y + d.vy;
  const int inside = static_cast<int>(end_x > near) & static_cast<int>(end_y > near) &
                     static_cast<int>(end_x < box.right + box.push - near) & static_cast<int>(end_y < box.top - near);
  return inside == 0;
}

// `radius` is the disc's. A corner, which both components reach at once (or within the tolerance), reverses both.
template <class Real>
PERTURB_HD inline WallHit<Real> wall_hit(const Disc<Real>& d, Real radius, const Box<Real>& box) {
  const Real near = radius + static_cast<Real>(wall_tolerance);
  const Real side = box.right - radius, ceiling = box.top - radius;
  const Real end_x = d.x + d.vx, end_y = d.y + d.vy;
  const Real closing = d.vx - box.push;
  Real tx = 2, ty = 2;
  WallHit<Real> hit;
  if (d.vx < Real(0) && end_x <= near) {
    tx = arrival(d.x, d.vx, radius);
  } else if (closing > Real(0) && end_x >= box.right + box.push - near) {
    tx = arrival(d.x, closing, side);
    hit.piston = true;
  }
  if (d.vy < Real(0) && end_y <= near)
    ty = arrival(d.y, d.vy, radius);
  else if (d.vy > Real(0) && end_y >= box.top - near)
    ty = arrival(d.y, d.vy, ceiling);
  hit.time = tx < ty ? tx : ty;
  if (hit.time > Real(1)) return hit;
  hit.across = tx <= hit.time;
  hit.along = ty <= hit.time;
  const Real tolerance = static_cast<Real>(wall_tolerance);
  if (!hit.across && tx <= Real(1)) {
    hit.across = (tx - hit.time) * (hit.piston ? closing : -d.vx) <= tolerance;
  }
  if (!hit.along && ty <= Real(1)) {
    hit.along = (ty - hit.time) * (d.vy < Real(0) ? -d.vy : d.vy) <= tolerance;
  }
  return hit;
}

// The contact of two discs on straight paths: |d + w t|² = reach², as a t² + b t + c = 0 with a = w·w, b = 2 d·w and
// c = d·d - reach².
template <class Real>
struct PairQuadratic {
  Real a, b, c, discriminant;
};
template <bool contract, class Real>
PERTURB_HD inline PairQuadratic<Real> pair_quadratic(const Disc<Real>& p, const Disc<Real>& q, Real reach) {
  const Real dx = q.x - p.x, dy = q.y - p.y, wx = q.vx - p.vx, wy = q.vy - p.vy;
  const Real a = product_sum<contract>(wx, wx, wy * wy);
  const Real b = Real(2) * product_sum<contract>(dx, wx, dy * wy);
  const Real c = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach)));
  return {a, b, c, product_sum<contract>(b, b, -(Real(4) * a * c))};
}

// Time at which two discs touch: the smaller root of |d + w t|² = reach², where `reach` is the sum of their radii; 2 if
// they do not touch within the step. A pair that overlaps already has touched in the past: the two pass through each
// other. Swapping the two discs changes no bit: every product has a factor of each difference.
template <bool contract, class Real>
PERTURB_HD inline Real pair_time(const Disc<Real>& p, const Disc<Real>& q, Real reach) {
  const auto [a, b, c, discriminant] = pair_quadratic<contract>(p, q, reach);
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
PERTURB_HD inline void keep_inside(Disc<Real>& d, Real radius, const Box<Real>& box) {
  const Real side = box.right + box.push - radius, ceiling = box.top - radius;
  if (d.x > side) d.x = side;
  if (d.x < radius) d.x = radius;
  if (d.y > ceiling) d.y = ceiling;
  if (d.y < radius) d.y = radius;
}

// Disc after a step in which it hits walls. `momentum` receives what it gives to the walls, per unit mass.
template <bool contract, class Real>
PERTURB_HD inline Disc<Real> settle_wall(Disc<Real> d, Real radius, const Box<Real>& box, const WallHit<Real>& hit,
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
PERTURB_HD inline Disc<Real> settle_pair(Disc<Real> self, Disc<Real> other, const Kind<Real>& kind,
                                         const Kind<Real>& other_kind, const Box<Real>& box) {
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
    self.vx = product_sum<contract>(given, nx, self.vx);
    self.vy = product_sum<contract>(given, ny, self.vy);
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

// ---- rule exact
//
// Physics of the rule `exact`: when a disc and a wall or two discs touch, and the result, in continuous time.
//
// The state of a disc is its state at its own last collision. Its next collision is computed from that state and from
// the other disc's, never from a common clock. So the arithmetic does not depend on the order of independent
// collisions, nor on how a step is cut.

// A part of the floor with a temperature of its own: a flame or ice under the gas. Lengths; the thermal speed as below.
template <class Real>
struct Plate {
  Real low = 0, high = 0, thermal = 0;
};
constexpr int max_plates = 4;

// Beyond elastic collisions of free discs, all off by default. Lengths and steps.
template <class Real>
struct ExactPhysics {
  Real gravity = 0;        // downwards, lengths per step²
  Real restitution = 1;    // normal speed after a collision over that before
  Real elastic_below = 0;  // a slower collision is elastic: otherwise infinitely many could follow in a finite time
  // Thermal speed √(kT) of the left, right, lower and upper wall, for mass 1; 0: the wall does not exchange heat.
  Real left = 0, right = 0, floor = 0, ceiling = 0;
  std::uint32_t seed = 0;  // of the velocities with which discs leave thermal walls
  Plate<Real> plates[max_plates];
  int plate_count = 0;

  // Thermal speed of the floor where a disc with this centre touches it: that of the last plate there.
  // A fixed number of passes: an array with a variable index would keep the whole struct, and what contains it, in
  // local memory of the GPU.
  PERTURB_HD Real floor_at(Real x) const {
    Real thermal = floor;
    for (int k = 0; k < max_plates; ++k)
      if (k < plate_count && x >= plates[k].low && x <= plates[k].high) thermal = plates[k].thermal;
    return thermal;
  }
};
// Least speed, in what gravity adds in a step, with which a disc leaves the floor. A disc at rest on it would collide
// infinitely often.
template <class Real>
inline constexpr Real min_bounce = Real(0.125);

// Number of a wall collision: the disc's id, and its wall collisions so far. Selects the random numbers of a thermal
// wall, so that they depend neither on the order of computation nor on the number of threads.
struct WallCollision {
  int id = 0;
  std::uint32_t before = 0;
};

// Velocity components (normal to the wall, along it) of a disc that leaves a wall in thermal equilibrium, in units of
// √(kT/m). The wall emits as many discs of each velocity as would cross it from a gas at rest at its temperature: the
// normal component has the density v exp(-v²/2), the other one is normally distributed. The logarithm is the one of
// sums and products on every machine, GPUs included.
struct ThermalVelocity {
  double normal, along;
};
PERTURB_HD inline ThermalVelocity thermal_velocity(std::uint32_t seed, const WallCollision& hit) {
  constexpr std::uint64_t stream = std::uint64_t{1} << 60;  // apart from those of the start and of added discs
  const std::uint64_t own = stream + static_cast<std::uint64_t>(static_cast<std::uint32_t>(hit.id));
  const std::uint64_t counter = 2 * static_cast<std::uint64_t>(hit.before);
  const Random4 first = philox(seed, own, counter), second = philox(seed, own, counter + 1);
  const double a = uniform_double(first.v[0], first.v[1]), b = uniform_double(first.v[2], first.v[3]);
  const double angle = 6.283185307179586 * uniform_double(second.v[0], second.v[1]);
  return {std::sqrt(-2 * detail::logarithm_of(1 - a)), std::sqrt(-2 * detail::logarithm_of(1 - b)) * cosine(angle)};
}

// Position of a disc at `time` of the step (0 ... 1), and its velocity at that time.
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
PERTURB_HD inline void advance(TimedDisc<Real>& d, Real time, Real gravity) {
  const Real span = time - d.time;
  d.x = multiply_add(d.vx, span, d.x);
  d.y = multiply_add(d.vy, span, d.y);
  d.time = time;
  if (gravity == Real(0)) return;
  const Real gained = gravity * span;
  d.y = multiply_add(Real(-0.5) * gained, span, d.y);
  d.vy -= gained;
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
// no bit, and would be repeated forever. Gravity accelerates both alike: once both are at one time, it has no effect.
// A collision after `until` may return `never`: this is found without the root and the division, which take most of the
// time.
template <class Real>
PERTURB_HD inline Real exact_pair_time(TimedDisc<Real> p, TimedDisc<Real> q, Real reach, Real until = 1,
                                       Real gravity = 0) {
  const Real now = p.time > q.time ? p.time : q.time;
  advance(p, now, gravity);
  advance(q, now, gravity);
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

// Spans until a disc that gravity accelerates downwards is at the floor, `gap` below it, or at the ceiling, `room`
// above it. Nothing cancels in them. `never` if it does not get there.
template <class Real>
PERTURB_HD inline Real span_to_floor(Real gap, Real vy, Real gravity) {
  if (!(gap > Real(0))) {
    if (!(vy > Real(0))) return 0;
    gap = 0;
  }
  const Real impact = std::sqrt(multiply_add(vy, vy, Real(2) * gravity * gap));
  return vy > Real(0) ? (vy + impact) / gravity : Real(2) * gap / (impact - vy);
}
template <class Real>
PERTURB_HD inline Real span_to_ceiling(Real room, Real vy, Real gravity) {
  if (!(vy > Real(0))) return never<Real>;
  if (!(room > Real(0))) return 0;
  const Real left = multiply_add(vy, vy, Real(-2) * gravity * room);
  return left >= Real(0) ? Real(2) * room / (vy + std::sqrt(left)) : never<Real>;
}

// Time and position at which a disc hits walls next. A piston is at right + push·time at a time of the step. A
// collision after `until` may return `never`, which is found without a division if walls are at rest.
template <class Real>
PERTURB_HD inline WallHit<Real> exact_wall_hit(const TimedDisc<Real>& d, Real radius, const Box<Real>& box,
                                               Real until = 1, Real gravity = 0) {
  Real tx = never<Real>, ty = never<Real>;
  WallHit<Real> hit;
  const Real span = later_span(d.time, until);
  const Real far_x = (d.vx < Real(0) ? -d.vx : d.vx) * span;
  const Real far_y = multiply_add(gravity * span, span, (d.vy < Real(0) ? -d.vy : d.vy) * span);
  if (box.push == Real(0) && d.x - radius > far_x && box.right - radius - d.x > far_x && d.y - radius > far_y &&
      box.top - radius - d.y > far_y) {
    hit.time = never<Real>;
    return hit;
  }
  if (d.vx < Real(0)) tx = arrival_of(d.time, d.x - radius, -d.vx);
  const Real closing = d.vx - box.push;
  if (closing > Real(0)) {
    const Real t = arrival_of(d.time, multiply_add(box.push, d.time, box.right) - radius - d.x, closing);
    if (t < tx) {
      tx = t;
      hit.piston = true;
    }
  }
  if (gravity != Real(0)) {
    const Real up = within_step(d.time + span_to_ceiling(box.top - radius - d.y, d.vy, gravity));
    const Real down = within_step(d.time + span_to_floor(d.y - radius, d.vy, gravity));
    ty = up < down ? up : down;
    hit.floor = !(up < down);
  } else {
    if (d.vy < Real(0)) ty = arrival_of(d.time, d.y - radius, -d.vy);
    if (d.vy > Real(0)) ty = arrival_of(d.time, box.top - radius - d.y, d.vy);
    hit.floor = d.vy < Real(0);
  }
  hit.time = tx < ty ? tx : ty;
  if (hit.time > Real(1)) return hit;
  hit.across = tx <= hit.time;
  hit.along = ty <= hit.time;
  return hit;
}

// A collision so soon after another one of the same disc in the step is elastic (in steps). Otherwise discs that press
// on each other could collide infinitely often in a finite time: the TC model of S. Luding, S. McNamara, Granular
// Matter 1 (1998) 113.
template <class Real>
inline constexpr Real contact_span = Real(1.0 / 16);

// Whether a disc whose state is `d` has collided that shortly before `time`. (Its own time is 0 if it has not in this
// step.)
template <class Real>
PERTURB_HD inline bool is_in_contact(const TimedDisc<Real>& d, Real time) {
  return d.time > Real(0) && time - d.time < contact_span<Real>;
}

// Normal speed after a collision over that before, relative to a wall or to a disc. `speed2`: its square before.
template <class Real>
PERTURB_HD inline Real rebound(Real speed2, bool in_contact, const ExactPhysics<Real>& physics) {
  if (in_contact || speed2 < physics.elastic_below * physics.elastic_below) return 1;
  return physics.restitution;
}

// Disc after its wall collision. `number` is that of the collision.
template <class Real>
PERTURB_HD inline TimedDisc<Real> exact_settle_wall(TimedDisc<Real> d, Real radius, const Box<Real>& box,
                                                    const WallHit<Real>& hit, WallExchange<Real>& exchange,
                                                    const ExactPhysics<Real>& physics = {}, Real mass = 1,
                                                    const WallCollision& number = {}) {
  const bool in_contact = is_in_contact(d, hit.time);
  advance(d, hit.time, physics.gravity);
  exchange = {};
  const double energy_before = kinetic_energy(d);
  const Real side = hit.piston ? physics.right : physics.left;
  const Real level = hit.floor ? physics.floor_at(d.x) : physics.ceiling;
  const bool draws = (hit.across && side > Real(0)) || (hit.along && level > Real(0));
  ThermalVelocity drawn{0, 0};
  if (draws) drawn = thermal_velocity(physics.seed, number);
  if (hit.across) {
    const Real push = hit.piston ? box.push : Real(0);
    Real after;
    if (side > Real(0)) {
      const Real thermal = side / std::sqrt(mass);
      after = static_cast<Real>(drawn.normal) * thermal;
      after = hit.piston ? push - after : after;
      if (!hit.along) d.vy = static_cast<Real>(drawn.along) * thermal;
    } else {
      const Real e = rebound((d.vx - push) * (d.vx - push), in_contact, physics);
      after = hit.piston ? (Real(1) + e) * push - e * d.vx : -(e * d.vx);
    }
    exchange.momentum += after > d.vx ? after - d.vx : d.vx - after;
    if (hit.piston) exchange.work = static_cast<double>(push) * static_cast<double>(after - d.vx);
    d.x = hit.piston ? multiply_add(box.push, hit.time, box.right) - radius : radius;
    d.vx = after;
  }
  if (hit.along) {
    const Real speed = d.vy < Real(0) ? -d.vy : d.vy;
    Real after;
    if (level > Real(0)) {
      // In a corner of two thermal walls, which a disc rarely hits, the second one uses the number drawn for the
      // component along the first, without its sign.
      const Real thermal = level / std::sqrt(mass);
      after = static_cast<Real>(hit.across && side > Real(0) ? drawn.along : drawn.normal) * thermal;
      if (after < Real(0)) after = -after;
      if (!hit.across) d.vx = static_cast<Real>(drawn.along) * thermal;
    } else {
      after = rebound(speed * speed, in_contact, physics) * speed;
    }
    const Real least = min_bounce<Real> * physics.gravity;
    if (hit.floor && after < least) after = least;
    exchange.momentum += speed + after;
    d.y = hit.floor ? radius : box.top - radius;
    d.vy = hit.floor ? after : -after;
  }
  if (draws) exchange.heat = kinetic_energy(d) - energy_before - exchange.work;
  return d;
}

// `self` after its collision with `other` at `time`. Both discs compute the same exchange.
template <class Real>
PERTURB_HD inline TimedDisc<Real> exact_settle_pair(TimedDisc<Real> self, TimedDisc<Real> other, Real time,
                                                    const Kind<Real>& kind, const Kind<Real>& other_kind,
                                                    const ExactPhysics<Real>& physics = {}) {
  const bool in_contact = is_in_contact(self, time) || is_in_contact(other, time);
  advance(self, time, physics.gravity);
  advance(other, time, physics.gravity);
  const Real nx = other.x - self.x, ny = other.y - self.y;
  const Real wx = other.vx - self.vx, wy = other.vy - self.vy;
  const Real b = multiply_add(wx, nx, wy * ny), distance2 = multiply_add(nx, nx, ny * ny);
  if (!(b < Real(0))) return self;  // a grazing contact that rounding has turned into a separation
  const Real exchanged = Real(1) + rebound(b * b / distance2, in_contact, physics);
  const Real given = exchanged * other_kind.mass / (kind.mass + other_kind.mass) * (b / distance2);
  self.vx = multiply_add(given, nx, self.vx);
  self.vy = multiply_add(given, ny, self.vy);
  return self;
}

// Position when the step ends.
template <class Real>
PERTURB_HD inline Disc<Real> exact_end(TimedDisc<Real> d, Real radius, const Box<Real>& box, Real gravity = 0) {
  advance(d, Real(1), gravity);
  Disc<Real> there{d.x, d.y, d.vx, d.vy};
  keep_inside(there, radius, box);
  return there;
}

// Limits of the work in a step.

// Limit of collisions in a step: this number per disc, and more for few discs.
constexpr double max_exact_collisions_per_disc = 256;
constexpr double max_exact_collisions(double discs) { return 3e5 + max_exact_collisions_per_disc * discs; }

}  // namespace perturb::particles
