#include "cuda/particles/state/saved.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/start.h"

namespace perturb::particles {

namespace {

// Box that must contain the discs, and how far outside rounding may have put them.
struct Walls {
  double right, top, slack;
  bool has_piston = false;  // the right wall has moved
};

template <class Real>
void read_kinds(const State& state, const Parameters& p, DiscsSaved<Real>& saved) {
  if (!state.has("radius") && !state.has("mass")) return;
  const std::size_t n = saved.host.discs.size();
  const auto radius = state.get<Real>("radius", {n}), mass = state.get<Real>("mass", {n});
  const double least = static_cast<double>(std::numeric_limits<Real>::min());
  require_within("radius", std::span<const Real>(radius), least, 0.5 * p.box * std::min(1.0, p.aspect) * (1 + 1e-6),
                 list_index_formatter("disc"));
  require_within("mass", std::span<const Real>(mass), least, 1e12, list_index_formatter("disc"));
  for (std::size_t k = 0; k < n; ++k) saved.host.kinds.push_back({radius[k], mass[k]});
}

template <class Real>
double radius_of(const DiscsSaved<Real>& saved, const Parameters& p, std::size_t k) {
  return saved.host.kinds.empty() ? p.radius : static_cast<double>(saved.host.kinds[k].radius);
}

template <class Real>
void require_inside(const DiscsSaved<Real>& saved, const Parameters& p, const Walls& walls) {
  for (std::size_t k = 0; k < saved.host.discs.size(); ++k) {
    const double r = radius_of(saved, p, k);
    const auto reject_beyond = [&](double at, double extent, const char* axis) {
      if (at >= r - walls.slack && at <= extent - r + walls.slack) return;
      reject_state(Message("disc {} lies outside the box: its {} is {}, and must be from {} to {}", k, axis,
                           format_number(at), format_number(r), format_number(extent - r)));
    };
    reject_beyond(static_cast<double>(saved.host.discs[k].x), walls.right, "x");
    reject_beyond(static_cast<double>(saved.host.discs[k].y), walls.top, "y");
  }
}

// Discs that overlap one with a smaller id.
template <class Real>
std::vector<std::size_t> overlapping(const DiscsSaved<Real>& saved, const Parameters& p, const Walls& walls) {
  const std::size_t n = saved.host.discs.size();
  // A few discs larger than the cells are found as well.
  double usual = p.radius, least = p.radius;
  if (!saved.host.kinds.empty()) {
    std::vector<double> radii;
    for (const Kind<Real>& kind : saved.host.kinds) radii.push_back(static_cast<double>(kind.radius));
    std::sort(radii.begin(), radii.end());
    usual = radii[n - 1 - std::min<std::size_t>(n - 1, 64)];
    least = radii.front();
  }
  DiscOccupancy places(walls.right, walls.top, usual, n);
  const double gap = -std::min(walls.slack, 0.5 * least);  // rounding may put touching discs slightly too near
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < n; ++k) {
    const double r = radius_of(saved, p, k);
    const double x = std::clamp(static_cast<double>(saved.host.discs[k].x), r, std::max(r, walls.right - r));
    const double y = std::clamp(static_cast<double>(saved.host.discs[k].y), r, std::max(r, walls.top - r));
    if (!places.is_free(x, y, r, gap)) found.push_back(k);
    places.add(x, y, r);
  }
  return found;
}

// No run brings three discs to exactly one position, except in corners: a disc that has collided and would leave the
// box is put on its wall. If a piston moves, a corner was anywhere along the top and the bottom.
template <class Real>
void require_apart(const DiscsSaved<Real>& saved, const Parameters& p, const Walls& walls) {
  std::vector<std::size_t> order(saved.host.discs.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  const auto& d = saved.host.discs;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return d[a].x != d[b].x ? d[a].x < d[b].x : d[a].y != d[b].y ? d[a].y < d[b].y : a < b;
  });
  for (std::size_t k = 2; k < order.size(); ++k) {
    const std::size_t first = order[k - 2], second = order[k - 1], third = order[k];
    if (d[first].x != d[third].x || d[first].y != d[third].y) continue;
    const double x = static_cast<double>(d[first].x), y = static_cast<double>(d[first].y),
                 r = radius_of(saved, p, first);
    const auto at_end = [&](double at, double extent) {
      return at <= r + walls.slack || at >= extent - r - walls.slack;
    };
    if ((walls.has_piston || at_end(x, walls.right)) && at_end(y, walls.top)) continue;
    reject_state(Message("discs {}, {} and {} are at the same position, ({}, {})", first, second, third,
                         format_number(x), format_number(y)));
  }
}

}  // namespace

double fastest_disc(Precision precision, double extent) {
  const double largest = precision == Precision::fp32 ? static_cast<double>(std::numeric_limits<float>::max())
                                                      : std::numeric_limits<double>::max();
  return std::sqrt(largest) / (8 * extent);
}

template <class Real>
void write_disc_state(State& state, const HostDiscs<Real>& host, const Parameters& p, const PistonBox& box) {
  const std::size_t n = host.discs.size();
  std::vector<Real> position, velocity, origin;
  position.reserve(2 * n);
  velocity.reserve(2 * n);
  origin.reserve(2 * n);
  const Real slow = static_cast<Real>(p.slow_factor);
  for (const Disc<Real>& d : host.discs) {
    position.push_back(d.x);
    position.push_back(d.y);
    // A power of two: exact.
    velocity.push_back(d.vx * slow);
    velocity.push_back(d.vy * slow);
  }
  for (const Disc<Real>& d : host.origins) {
    origin.push_back(d.x);
    origin.push_back(d.y);
  }
  state.put<Real>("position", {n, 2}, "length", position);
  state.put<Real>("velocity", {n, 2}, "length/time", velocity);
  state.put<Real>("origin", {n, 2}, "length", origin);
  state.put<std::uint32_t>("wall_collisions", {n}, "", host.wall_collisions);
  state.put<std::uint32_t>("disc_collisions", {n}, "", host.disc_collisions);
  if (!host.kinds.empty()) {
    std::vector<Real> radius, mass;
    for (const Kind<Real>& kind : host.kinds) {
      radius.push_back(kind.radius);
      mass.push_back(kind.mass);
    }
    state.put<Real>("radius", {n}, "length", radius);
    state.put<Real>("mass", {n}, "mass", mass);
  }
  if (box.has_moved()) state.put<double>("piston", {1}, "length", std::vector<double>{box.right()});
  if (box.target() >= 0) state.put<double>("piston_target", {1}, "", std::vector<double>{box.target()});
}

template <class Real>
DiscsSaved<Real> read_disc_state(const State& state, const Parameters& p) {
  require_state_of(state, "particles");
  const std::size_t n = require_rows(state, "position", 2, 1, max_discs, "discs");
  const auto position = state.get<Real>("position", {n, 2}), velocity = state.get<Real>("velocity", {n, 2});
  DiscsSaved<Real> saved;
  saved.host.wall_collisions = state.get<std::uint32_t>("wall_collisions", {n});
  saved.host.disc_collisions = state.get<std::uint32_t>("disc_collisions", {n});
  require_finite("position", std::span<const Real>(position), list_index_formatter("disc", 2));
  const double extent = p.box * std::max(1.0, p.aspect);
  const double fastest = fastest_disc(p.precision, extent);
  require_within("velocity", std::span<const Real>(velocity), -fastest, fastest, list_index_formatter("disc", 2));
  const Real slow = static_cast<Real>(p.slow_factor);
  saved.host.discs.reserve(n);
  for (std::size_t k = 0; k < n; ++k)
    saved.host.discs.push_back(
        {position[2 * k], position[2 * k + 1], velocity[2 * k] / slow, velocity[2 * k + 1] / slow});
  read_kinds(state, p, saved);
  saved.host.origins = saved.host.discs;  // a state without origins begins here
  if (state.has("origin")) {
    const auto origin = state.get<Real>("origin", {n, 2});
    require_finite("origin", std::span<const Real>(origin), list_index_formatter("disc", 2));
    for (std::size_t k = 0; k < n; ++k) {
      saved.host.origins[k].x = origin[2 * k];
      saved.host.origins[k].y = origin[2 * k + 1];
    }
  }

  saved.right = p.box;
  if (state.has("piston")) {
    const auto piston = state.get<double>("piston", {1});
    require_within("piston", std::span<const double>(piston), std::numeric_limits<double>::min(), p.box,
                   [](std::size_t) { return "the right wall"; });
    saved.right = piston[0];
  }
  if (state.has("piston_target")) {
    const auto target = state.get<double>("piston_target", {1});
    require_within("piston_target", std::span<const double>(target), 0.0, 1.0,
                   [](std::size_t) { return "the right wall"; });
    saved.target = target[0];
  }
  if (state.has("energy_gains")) {
    const auto gains = state.get<std::int64_t>("energy_gains", {2});
    saved.gains.heat = gains[0];
    saved.gains.work = gains[1];
  }
  const double rounding = std::max(1e-12, 16 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
  const double slack = wall_tolerance + rounding * extent;
  const Walls walls{saved.right, p.box * p.aspect, slack,
                    state.has("piston") || state.has("piston_target") || p.piston_speed != 0};
  require_inside(saved, p, walls);
  const std::vector<std::size_t> over = overlapping(saved, p, walls);
  if (over.empty()) return saved;
  require_apart(saved, p, walls);
  saved.note =
      (over.size() == 1 ? Message("{} of {} discs overlaps another.", over.size(), n)
                        : Message("{} of {} discs overlap another.", over.size(), n)) +
      (p.collisions == Collisions::exact
           ? "Those that approach collide at once, and they separate as they move."
           : "A disc collides at most once per step, and other discs pass through it. Raise the slow factor to "
             "reduce this.");
  return saved;
}

template void write_disc_state(State&, const HostDiscs<float>&, const Parameters&, const PistonBox&);
template void write_disc_state(State&, const HostDiscs<double>&, const Parameters&, const PistonBox&);
template DiscsSaved<float> read_disc_state(const State&, const Parameters&);
template DiscsSaved<double> read_disc_state(const State&, const Parameters&);

}  // namespace perturb::particles
