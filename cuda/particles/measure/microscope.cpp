#include "cuda/particles/measure/microscope.h"

#include <cmath>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb::particles {

namespace {

template <class Real>
struct FindNextPair {
  Grid<Real> grid;
  int self;

  PERTURB_HD void operator()(int column, int row, NextPair& next) const {
    const int i = row * sum_row + column;
    if (i >= grid.count || i == self) return;
    const Disc<Real> p = grid.discs[self], q = grid.discs[i];
    const PairQuadratic<Real> pair = pair_quadratic<false>(p, q, grid.kind(self).radius + grid.kind(i).radius);
    const double dx = static_cast<double>(q.x - p.x), dy = static_cast<double>(q.y - p.y);
    NextPair here{NextPair::never_from * (1 + dx * dx + dy * dy), i, grid.ids[i]};
    if (pair.a > Real(0) && pair.b < Real(0) && pair.c >= Real(0) && pair.discriminant >= Real(0))
      here.delay = static_cast<double>((-pair.b - std::sqrt(pair.discriminant)) / (Real(2) * pair.a));
    next.merge(here);
  }
};

template <class Real>
Real contact_time(const Disc<Real>& p, const Disc<Real>& q, Real reach, const Parameters& parameters, bool contract,
                  Real gravity) {
  if (parameters.collisions == Collisions::exact)
    return exact_pair_time(timed_disc(p, Real(0)), timed_disc(q, Real(0)), reach, Real(1), gravity);
  return contract ? pair_time<true>(p, q, reach) : pair_time<false>(p, q, reach);
}

CurvePoint after(const auto& disc, double steps) {
  return {static_cast<double>(disc.x) + static_cast<double>(disc.vx) * steps,
          static_cast<double>(disc.y) + static_cast<double>(disc.vy) * steps};
}

}  // namespace

template <class Real>
Inspection Microscope<Real>::inspect(const DiscRun<Real>& now, const NearestDisc& disc, bool contract, Real gravity) {
  Inspection seen;
  if (disc.slot < 0) return seen;
  if (!next_) next_.emplace(backend_);
  next_->start("particles.microscope", sum_range(now.discs.count()), FindNextPair<Real>{now.grid(), disc.slot});
  next_->wait();
  const NextPair next = next_->result();

  const auto disc_at = [&](int slot) {
    Disc<Real> d;
    backend_.copy_to_host(&d, now.discs.storage().discs.data() + slot, sizeof d);
    return d;
  };
  const double width = now.box.width(), height = now.box.height();
  const Disc<Real> p = disc_at(disc.slot);
  const double radius = now.discs.radius(disc.slot);
  seen.title = Message("Disc {}", disc.id);
  seen.extent = {2 * radius / width, 2 * radius / height};
  seen.add_row("Position", {static_cast<double>(p.x), static_cast<double>(p.y)}, "length");
  seen.add_row("Velocity", {static_cast<double>(p.vx), static_cast<double>(p.vy)}, "length/step");
  Glyphs glyphs(seen, width, height);
  if (next.slot < 0) {
    seen.remark = "There is no other disc.";
    glyphs.circle(Glyph::Role::subject, after(p, 0), radius, Message::value(std::to_string(disc.id)));
    return seen;
  }

  const Disc<Real> q = disc_at(next.slot);
  const double other_radius = now.discs.radius(next.slot);
  const Real reach = static_cast<Real>(radius) + static_cast<Real>(other_radius);
  const PairQuadratic<Real> pair = contract ? pair_quadratic<true>(p, q, reach) : pair_quadratic<false>(p, q, reach);
  const double a = static_cast<double>(pair.a), b = static_cast<double>(pair.b),
               discriminant = static_cast<double>(pair.discriminant);
  const bool has_roots = a > 0 && discriminant >= 0, will_touch = next.delay < NextPair::never_from;
  const Real contact = contact_time(p, q, reach, now.parameters, contract, gravity);
  seen.title = will_touch ? Message("Disc {} will touch disc {}", disc.id, next.id)
                          : Message("Disc {} and the nearest, disc {}", disc.id, next.id);
  seen.add_row("Relative position d", {static_cast<double>(q.x - p.x), static_cast<double>(q.y - p.y)}, "length");
  seen.add_row("Relative velocity w", {static_cast<double>(q.vx - p.vx), static_cast<double>(q.vy - p.vy)},
               "length/step");
  seen.add("Sum of radii", static_cast<double>(reach), "length");
  seen.add("a = w\u00b7w", a);
  seen.add("b = 2 d\u00b7w", b);
  seen.add("c = d\u00b7d \u2212 (sum of radii)\u00b2", static_cast<double>(pair.c));
  seen.add("Discriminant b\u00b2 \u2212 4ac", discriminant);
  const double root = has_roots ? std::sqrt(discriminant) : no_value;
  seen.add_row("Roots t of a t\u00b2 + b t + c = 0",
               {has_roots ? (-b - root) / (2 * a) : no_value, has_roots ? (-b + root) / (2 * a) : no_value}, "step");
  seen.add("Contact in this step", contact <= Real(1) ? static_cast<double>(contact) : no_value, "step");
  seen.remark = will_touch ? Message("On straight paths, if neither meets a wall or another disc before.")
                           : Message("On straight paths it touches no other disc.");

  glyphs.circle(Glyph::Role::subject, after(p, 0), radius, Message::value(std::to_string(disc.id)));
  glyphs.circle(Glyph::Role::neighbour, after(q, 0), other_radius, Message::value(std::to_string(next.id)));
  const double steps = will_touch ? next.delay : 1;
  glyphs.arrow(Glyph::Role::subject, after(p, 0), after(p, steps));
  glyphs.arrow(Glyph::Role::neighbour, after(q, 0), after(q, steps));
  if (will_touch) {
    glyphs.circle(Glyph::Role::result, after(p, steps), radius);
    glyphs.circle(Glyph::Role::result, after(q, steps), other_radius);
  }
  return seen;
}

template class Microscope<float>;
template class Microscope<double>;

}  // namespace perturb::particles
