#include "cuda/particles/model/discs.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace perturb::particles {

template <class Real>
double fastest_of(const std::vector<Disc<Real>>& discs) {
  double fastest = 0;
  for (const Disc<Real>& d : discs)
    fastest = std::max({fastest, std::abs(static_cast<double>(d.vx)), std::abs(static_cast<double>(d.vy))});
  return fastest;
}

template <class Real>
DiscSet<Real>::DiscSet(Backend& backend, const HostDiscs<Real>& host, double usual_radius)
    : count_(static_cast<int>(host.discs.size())), storage_(backend, host.discs.size(), !host.kinds.empty()) {
  const std::size_t n = host.discs.size();
  const std::vector<int> large_discs = choose_large_discs(host.kinds);
  if (!large_discs.empty()) large_discs_ = Array<int>(backend, large_discs.size(), "large discs");
  std::vector<int> ids(n);
  for (std::size_t k = 0; k < n; ++k) ids[k] = static_cast<int>(k);
  storage_.discs.upload(host.discs), storage_.ids.upload(ids);
  storage_.wall_collisions.upload(host.wall_collisions), storage_.disc_collisions.upload(host.disc_collisions);
  if (!host.kinds.empty()) storage_.kinds.upload(host.kinds);
  if (!large_discs.empty()) large_discs_.upload(large_discs);
  origins_ = Array<Disc<Real>>(backend, n, "where discs began");
  origins_.upload(host.origins);
  largest_radius_ = cell_radius_ = radius_in_cells(host.kinds, large_discs, usual_radius);
  heavy_slot_ = large_discs.empty() ? -1 : large_discs.front();
  for (const int g : large_discs)
    largest_radius_ = std::max(largest_radius_, static_cast<double>(host.kinds[static_cast<std::size_t>(g)].radius));
}

template <class Real>
double DiscSet<Real>::radius(int slot) const {
  DiscKind<Real> kind{static_cast<Real>(cell_radius_), Real(1)};
  if (!alike()) storage_.kinds.backend().copy_to_host(&kind, storage_.kinds.data() + slot, sizeof kind);
  return static_cast<double>(kind.radius);
}

template <class Real>
DiscGrid<Real> DiscSet<Real>::grid(const PistonBox& box) const {
  DiscGrid<Real> w;
  w.discs = storage_.discs.data(), w.ids = storage_.ids.data(), w.kinds = storage_.kinds.data();
  w.count = count_;
  w.radius = static_cast<Real>(cell_radius_);
  w.large_discs = large_discs_.data(), w.large_disc_count = static_cast<int>(large_discs_.size());
  w.box = box.walls<Real>();
  return w;
}

template <class Real>
HostDiscs<Real> DiscSet<Real>::download() const {
  const std::size_t n = static_cast<std::size_t>(count_);
  const std::vector<int> ids = storage_.ids.download();
  const std::vector<Disc<Real>> discs = storage_.discs.download();
  const std::vector<DiscKind<Real>> kinds = alike() ? std::vector<DiscKind<Real>>() : storage_.kinds.download();
  const std::vector<std::uint32_t> walls = storage_.wall_collisions.download(),
                                   pairs = storage_.disc_collisions.download();
  HostDiscs<Real> host;
  host.discs.resize(n), host.wall_collisions.resize(n), host.disc_collisions.resize(n), host.kinds.resize(kinds.size());
  for (std::size_t slot = 0; slot < n; ++slot) {
    const auto id = static_cast<std::size_t>(ids[slot]);
    host.discs[id] = discs[slot], host.wall_collisions[id] = walls[slot], host.disc_collisions[id] = pairs[slot];
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
  copy(count_, cell_radius_, largest_radius_, heavy_slot_);
  copy(storage_.discs, storage_.ids, storage_.kinds, storage_.wall_collisions, storage_.disc_collisions);
  copy(large_discs_, origins_);
}

template class DiscSet<float>;
template class DiscSet<double>;
template double fastest_of(const std::vector<Disc<float>>&);
template double fastest_of(const std::vector<Disc<double>>&);

}  // namespace perturb::particles
