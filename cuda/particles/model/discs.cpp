#include "cuda/particles/model/discs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/math/elementary.h"
#include "cuda/core/math/random.h"
#include "cuda/core/simulation/format.h"
#include "cuda/particles/model/start.h"

namespace perturb::particles {

template <class Real>
double fastest_of(const std::vector<Disc<Real>>& discs) {
  double fastest = 0;
  for (const Disc<Real>& d : discs)
    fastest = std::max({fastest, std::abs(static_cast<double>(d.vx)), std::abs(static_cast<double>(d.vy))});
  return fastest;
}

namespace {
template <class Real>
std::vector<DiscsOfKind> kinds_of(const std::vector<Kind<Real>>& discs) {
  constexpr std::size_t max_kinds = 4;
  std::vector<DiscsOfKind> kinds;
  for (const Kind<Real>& disc : discs) {
    const double radius = static_cast<double>(disc.radius), mass = static_cast<double>(disc.mass);
    auto kind = std::find_if(kinds.begin(), kinds.end(),
                             [&](const DiscsOfKind& k) { return k.radius == radius && k.mass == mass; });
    if (kind == kinds.end()) {
      if (kinds.size() == max_kinds) return {};
      kind = kinds.insert(kinds.end(), {radius, mass, 0});
    }
    ++kind->count;
  }
  for (const DiscsOfKind& kind : kinds)
    if (kind.count < 0.01 * static_cast<double>(discs.size())) return {};
  return kinds;
}
}  // namespace

template <class Real>
DiscSet<Real>::DiscSet(Backend& backend, const HostDiscs<Real>& host, double usual_radius)
    : count_(static_cast<int>(host.discs.size())), storage_(backend, host.discs.size(), !host.kinds.empty()) {
  const std::size_t n = host.discs.size();
  const std::vector<int> large_discs = choose_large_discs(host.kinds);
  if (!large_discs.empty()) large_discs_ = Array<int>(backend, large_discs.size(), "large discs");
  std::vector<int> ids(n);
  for (std::size_t k = 0; k < n; ++k) ids[k] = static_cast<int>(k);
  storage_.discs.upload(host.discs);
  storage_.ids.upload(ids);
  storage_.wall_collisions.upload(host.wall_collisions);
  storage_.disc_collisions.upload(host.disc_collisions);
  if (!host.kinds.empty()) storage_.kinds.upload(host.kinds);
  if (!large_discs.empty()) large_discs_.upload(large_discs);
  origins_ = Array<Disc<Real>>(backend, n, "where discs began");
  origins_.upload(host.origins);
  largest_radius_ = cell_radius_ = radius_in_cells(host.kinds, large_discs, usual_radius);
  heavy_slot_ = large_discs.empty() ? -1 : large_discs.front();
  double squares = host.kinds.empty() ? static_cast<double>(n) * usual_radius * usual_radius : 0;
  for (const Kind<Real>& kind : host.kinds)
    squares += static_cast<double>(kind.radius) * static_cast<double>(kind.radius);
  covered_ = std::numbers::pi * squares;
  kinds_ = kinds_of(host.kinds);
  for (const int g : large_discs)
    largest_radius_ = std::max(largest_radius_, static_cast<double>(host.kinds[static_cast<std::size_t>(g)].radius));
}

template <class Real>
double DiscSet<Real>::radius(int slot) const {
  Kind<Real> kind{static_cast<Real>(cell_radius_), Real(1)};
  if (!alike()) storage_.kinds.backend().copy_to_host(&kind, storage_.kinds.data() + slot, sizeof kind);
  return static_cast<double>(kind.radius);
}

template <class Real>
Grid<Real> DiscSet<Real>::grid(const PistonBox& box) const {
  Grid<Real> w;
  w.discs = storage_.discs.data();
  w.ids = storage_.ids.data();
  w.kinds = storage_.kinds.data();
  w.count = count_;
  w.radius = static_cast<Real>(cell_radius_);
  w.large_discs = large_discs_.data();
  w.large_disc_count = static_cast<int>(large_discs_.size());
  w.box = box.walls<Real>();
  return w;
}

template <class Real>
HostDiscs<Real> DiscSet<Real>::download() const {
  const std::size_t n = static_cast<std::size_t>(count_);
  const std::vector<int> ids = storage_.ids.download();
  const std::vector<Disc<Real>> discs = storage_.discs.download();
  const std::vector<Kind<Real>> kinds = alike() ? std::vector<Kind<Real>>() : storage_.kinds.download();
  const std::vector<std::uint32_t> walls = storage_.wall_collisions.download(),
                                   pairs = storage_.disc_collisions.download();
  HostDiscs<Real> host;
  host.discs.resize(n);
  host.wall_collisions.resize(n);
  host.disc_collisions.resize(n);
  host.kinds.resize(kinds.size());
  for (std::size_t slot = 0; slot < n; ++slot) {
    const auto id = static_cast<std::size_t>(ids[slot]);
    host.discs[id] = discs[slot];
    host.wall_collisions[id] = walls[slot];
    host.disc_collisions[id] = pairs[slot];
    if (!kinds.empty()) host.kinds[id] = kinds[slot];
  }
  host.origins = origins_.download();
  return host;
}

template <class Real>
double DiscSet<Real>::fastest() const {
  return fastest_of(storage_.discs.download());
}

template <class Real>
void DiscSet<Real>::visit_members(MemberCopier& copy) {
  copy(count_, cell_radius_, largest_radius_, covered_, heavy_slot_, kinds_);
  copy(storage_.discs, storage_.ids, storage_.kinds, storage_.wall_collisions, storage_.disc_collisions);
  copy(large_discs_, origins_);
}

template class DiscSet<float>;
template class DiscSet<double>;
template double fastest_of(const std::vector<Disc<float>>&);
template double fastest_of(const std::vector<Disc<double>>&);

template <class Real>
void add_discs(HostDiscs<Real>& host, const DiscsToAdd& wanted, const Parameters& parameters, const PistonBox& box,
               double largest_in_cells, std::uint32_t seed, std::int64_t step) {
  const double radius = wanted.radius, mass = wanted.mass;
  const std::size_t before = host.discs.size();
  if (before + static_cast<std::size_t>(wanted.count) > static_cast<std::size_t>(max_discs))
    throw InputError("Cannot add more discs: at most {} are allowed.", max_discs);
  const bool alike = host.kinds.empty() && radius == parameters.radius && mass == 1;
  if (!alike && host.kinds.empty()) host.kinds.assign(before, {static_cast<Real>(parameters.radius), Real(1)});
  DiscOccupancy places(box.width(), box.height(), std::max(largest_in_cells, radius), before);
  for (std::size_t k = 0; k < before; ++k)
    places.add(static_cast<double>(host.discs[k].x), static_cast<double>(host.discs[k].y),
               host.kinds.empty() ? parameters.radius : static_cast<double>(host.kinds[k].radius));
  const double gap = disc_gap(parameters);
  // A separate stream of random numbers, selected by the step: discs added at a step are the same in every replay.
  const std::uint64_t stream = 1000 + static_cast<std::uint64_t>(step) + (static_cast<std::uint64_t>(before) << 32);
  int added = 0;
  for (std::uint64_t attempt = 0; attempt < 60000 && added < wanted.count; ++attempt) {
    const Random4 random = philox(seed, stream, 2 * attempt);
    const double angle = 2 * std::numbers::pi * uniform_double(random.v[0], random.v[1]);
    const double away = attempt == 0 ? 0 : wanted.reach * std::sqrt(uniform_double(random.v[2], random.v[3]));
    const double x = wanted.x + away * cosine(angle), y = wanted.y + away * sine(angle);
    if (x > box.right() - radius || !places.is_free(x, y, radius, gap)) continue;
    places.add(x, y, radius);
    const Random4 heading = philox(seed, stream, 2 * attempt + 1);
    const double course = 2 * std::numbers::pi * uniform_double(heading.v[0], heading.v[1]);
    host.discs.push_back({static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(wanted.speed * cosine(course)),
                          static_cast<Real>(wanted.speed * sine(course))});
    host.wall_collisions.push_back(0);
    host.disc_collisions.push_back(0);
    host.origins.push_back(host.discs.back());
    if (!host.kinds.empty()) host.kinds.push_back({static_cast<Real>(radius), static_cast<Real>(mass)});
    ++added;
  }
  if (added == 0)
    throw InputError("No disc of radius {} fits within {} of this point. Choose an emptier place or a larger circle.",
                     with_unit(format_number(radius), "length"), with_unit(format_number(wanted.reach), "length"));
}

namespace {

// The scene's heavy disc.
template <class Real>
bool is_heavy_disc(const HostDiscs<Real>& host, std::size_t k, const Parameters& p) {
  return p.heavy_radius > 0 && !host.kinds.empty() && host.kinds[k].radius == static_cast<Real>(p.heavy_radius) &&
         host.kinds[k].mass == static_cast<Real>(p.heavy_mass);
}

template <class Real>
void append_disc(HostDiscs<Real>& kept, const HostDiscs<Real>& host, std::size_t k) {
  kept.discs.push_back(host.discs[k]);
  kept.wall_collisions.push_back(host.wall_collisions[k]);
  kept.disc_collisions.push_back(host.disc_collisions[k]);
  if (!host.kinds.empty()) kept.kinds.push_back(host.kinds[k]);
  kept.origins.push_back(host.origins[k]);
}

}  // namespace

template <class Real>
int add_discs_anywhere(HostDiscs<Real>& host, int count, const Parameters& p, const PistonBox& box,
                       double largest_in_cells, std::uint32_t seed, std::int64_t step) {
  constexpr int tries = 5000;  // in a row without success; at an area fraction of 0.5 one in 300 is free
  const std::size_t before = host.discs.size();
  double energy = 0, gas = 0;
  DiscOccupancy places(box.width(), box.height(), std::max(largest_in_cells, p.radius * std::max(1.0, p.second_radius)),
                       before);
  for (std::size_t k = 0; k < before; ++k) {
    const double vx = static_cast<double>(host.discs[k].vx), vy = static_cast<double>(host.discs[k].vy);
    const double mass = host.kinds.empty() ? 1 : static_cast<double>(host.kinds[k].mass);
    if (!is_heavy_disc(host, k, p)) {
      energy += 0.5 * mass * (vx * vx + vy * vy);
      gas += 1;
    }
    places.add(static_cast<double>(host.discs[k].x), static_cast<double>(host.discs[k].y),
               host.kinds.empty() ? p.radius : static_cast<double>(host.kinds[k].radius));
  }
  const double thermal = gas > 0 ? energy / gas : 0, gap = disc_gap(p);
  const std::uint64_t stream = (std::uint64_t{1} << 59) + static_cast<std::uint64_t>(step);
  std::uint64_t counter = static_cast<std::uint64_t>(before) << 32;
  int added = 0;
  for (int failed = 0; added < count && failed < tries; ++failed, counter += 2) {
    const Kind<double> kind = kind_of_disc(p, static_cast<int>(host.discs.size()));
    const Random4 random = philox(seed, stream, counter);
    const double x = kind.radius + (box.right() - 2 * kind.radius) * uniform_double(random.v[0], random.v[1]);
    const double y = kind.radius + (box.height() - 2 * kind.radius) * uniform_double(random.v[2], random.v[3]);
    if (x > box.right() - kind.radius || !places.is_free(x, y, kind.radius, gap)) continue;
    places.add(x, y, kind.radius);
    const Random4 motion = philox(seed, stream, counter + 1);
    const double a = uniform_double(motion.v[0], motion.v[1]), b = uniform_double(motion.v[2], motion.v[3]);
    const double speed = std::sqrt(-2 * thermal / kind.mass * logarithm(1 - a)), angle = 2 * std::numbers::pi * b;
    if (host.kinds.empty() && (kind.radius != p.radius || kind.mass != 1))
      host.kinds.assign(host.discs.size(), {static_cast<Real>(p.radius), Real(1)});
    host.discs.push_back({static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(speed * cosine(angle)),
                          static_cast<Real>(speed * sine(angle))});
    host.wall_collisions.push_back(0);
    host.disc_collisions.push_back(0);
    host.origins.push_back(host.discs.back());
    if (!host.kinds.empty()) host.kinds.push_back({static_cast<Real>(kind.radius), static_cast<Real>(kind.mass)});
    ++added;
    failed = -1;
  }
  return added;
}

template <class Real>
HostDiscs<Real> without_last_discs(const HostDiscs<Real>& host, int count, const Parameters& p) {
  std::size_t end = host.discs.size();
  std::vector<std::size_t> kept_at_end;
  for (; count > 0 && end > 1; --end) {
    if (is_heavy_disc(host, end - 1, p))
      kept_at_end.push_back(end - 1);
    else
      --count;
  }
  HostDiscs<Real> kept;
  for (std::size_t k = 0; k < end; ++k) append_disc(kept, host, k);
  for (std::size_t k = kept_at_end.size(); k-- > 0;) append_disc(kept, host, kept_at_end[k]);
  return kept;
}

template <class Real>
HostDiscs<Real> discs_outside(const HostDiscs<Real>& host, double x, double y, double reach) {
  HostDiscs<Real> kept;
  for (std::size_t k = 0; k < host.discs.size(); ++k) {
    const double dx = static_cast<double>(host.discs[k].x) - x, dy = static_cast<double>(host.discs[k].y) - y;
    const bool last = k + 1 == host.discs.size() && kept.discs.empty();
    if (dx * dx + dy * dy < reach * reach && !last) continue;
    append_disc(kept, host, k);
  }
  return kept;
}

template void add_discs(HostDiscs<float>&, const DiscsToAdd&, const Parameters&, const PistonBox&, double,
                        std::uint32_t, std::int64_t);
template void add_discs(HostDiscs<double>&, const DiscsToAdd&, const Parameters&, const PistonBox&, double,
                        std::uint32_t, std::int64_t);
template int add_discs_anywhere(HostDiscs<float>&, int, const Parameters&, const PistonBox&, double, std::uint32_t,
                                std::int64_t);
template int add_discs_anywhere(HostDiscs<double>&, int, const Parameters&, const PistonBox&, double, std::uint32_t,
                                std::int64_t);
template HostDiscs<float> without_last_discs(const HostDiscs<float>&, int, const Parameters&);
template HostDiscs<double> without_last_discs(const HostDiscs<double>&, int, const Parameters&);
template HostDiscs<float> discs_outside(const HostDiscs<float>&, double, double, double);
template HostDiscs<double> discs_outside(const HostDiscs<double>&, double, double, double);

}  // namespace perturb::particles
