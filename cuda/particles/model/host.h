// Discs on the host: those of a start, and which of them are too large for cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/start.h"

namespace perturb::particles {

// In the order of their ids; velocities in lengths per step.
template <class Real>
struct HostDiscs {
  std::vector<Disc<Real>> discs;
  std::vector<DiscKind<Real>> kinds;  // empty: all equal
  std::vector<std::uint32_t> wall_collisions, disc_collisions;
  std::vector<Disc<Real>> origins;  // where they came into the run
};

template <class Real>
HostDiscs<Real> discs_of_start(const DiscStart& start, double slow) {
  HostDiscs<Real> host;
  for (std::size_t k = 0; k < start.count(); ++k)
    host.discs.push_back({static_cast<Real>(start.x[k]), static_cast<Real>(start.y[k]),
                          static_cast<Real>(start.vx[k] / slow), static_cast<Real>(start.vy[k] / slow)});
  for (std::size_t k = 0; k < start.radius.size(); ++k)
    host.kinds.push_back({static_cast<Real>(start.radius[k]), static_cast<Real>(start.mass[k])});
  host.wall_collisions.assign(start.count(), 0), host.disc_collisions.assign(start.count(), 0);
  host.origins = host.discs;
  return host;
}

// The few discs that are much larger than the rest; cells are not made wide enough for them.
template <class Real>
std::vector<int> choose_large_discs(const std::vector<DiscKind<Real>>& kinds) {
  constexpr std::size_t most = 64;
  std::vector<int> order(kinds.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto radius = [&](int k) { return kinds[static_cast<std::size_t>(k)].radius; };
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return radius(a) != radius(b) ? radius(a) > radius(b) : a < b; });
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k)
    if (k + 1 < order.size() && radius(order[k]) > Real(1.5) * radius(order[k + 1])) {
      order.resize(k + 1);
      return order;
    }
  return {};
}

// The largest radius except for those; `usual` if all discs are equal.
template <class Real>
double radius_in_cells(const std::vector<DiscKind<Real>>& kinds, const std::vector<int>& large_discs, double usual) {
  if (kinds.empty()) return usual;
  Real largest = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (std::find(large_discs.begin(), large_discs.end(), static_cast<int>(k)) == large_discs.end())
      largest = std::max(largest, kinds[k].radius);
  return static_cast<double>(largest);
}

}  // namespace perturb::particles
