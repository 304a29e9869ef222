// The sequential rule implemented a second time: every pair, one sorted list, one filter. Slow and simple.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

template <class Real>
struct ReferenceDiscs {
  std::vector<Disc<Real>> discs;  // velocities in lengths a step
  std::vector<Kind<Real>> kinds;
  std::vector<std::uint32_t> wall_collisions, disc_collisions;
  Box<Real> box;
  int collided = 0;  // discs that collided in the last step

  // From a saved state; `slow` steps a time unit.
  ReferenceDiscs(const State& state, double width, double height, double radius, double slow) {
    const std::size_t n = state.datasets.at("position").shape[0];
    const auto position = state.get<Real>("position", {n, 2}), velocity = state.get<Real>("velocity", {n, 2});
    for (std::size_t k = 0; k < n; ++k)
      discs.push_back({position[2 * k], position[2 * k + 1], velocity[2 * k] / static_cast<Real>(slow),
                       velocity[2 * k + 1] / static_cast<Real>(slow)});
    kinds.assign(n, {static_cast<Real>(radius), Real(1)});
    if (state.has("radius")) {
      const auto radii = state.get<Real>("radius", {n}), masses = state.get<Real>("mass", {n});
      for (std::size_t k = 0; k < n; ++k) kinds[k] = {radii[k], masses[k]};
    }
    wall_collisions = state.get<std::uint32_t>("wall_collisions", {n});
    disc_collisions = state.get<std::uint32_t>("disc_collisions", {n});
    box = {static_cast<Real>(width), static_cast<Real>(height), Real(0)};
  }

  void step() {
    struct Candidate {
      Real time;
      int p, kind, q;  // kind 0: a wall, 1: a pair
      std::tuple<Real, int, int, int> key() const { return {time, p, kind, q}; }
    };
    const int n = static_cast<int>(discs.size());
    std::vector<Candidate> candidates;
    for (int p = 0; p < n; ++p) {
      const WallHit<Real> hit = wall_hit(discs[p], kinds[p].radius, box);
      if (hit.time <= Real(1)) candidates.push_back({hit.time, p, 0, 0});
      for (int q = p + 1; q < n; ++q) {
        const Real time = pair_time<false>(discs[p], discs[q], kinds[p].radius + kinds[q].radius);
        if (time <= Real(1)) candidates.push_back({time, p, 1, q});
      }
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.key() < b.key(); });
    std::vector<bool> taken(discs.size());
    std::vector<Disc<Real>> next(discs.size());
    collided = 0;
    for (const Candidate& c : candidates) {
      if (taken[c.p] || (c.kind == 1 && taken[c.q])) continue;
      taken[c.p] = true;
      ++collided;
      if (c.kind == 0) {
        Real ignored = 0;
        next[c.p] = settle_wall<false>(discs[c.p], kinds[c.p].radius, box, wall_hit(discs[c.p], kinds[c.p].radius, box),
                                       ignored);
        ++wall_collisions[c.p];
      } else {
        taken[c.q] = true;
        ++collided;
        next[c.p] = settle_pair<false>(discs[c.p], discs[c.q], kinds[c.p], kinds[c.q], box);
        next[c.q] = settle_pair<false>(discs[c.q], discs[c.p], kinds[c.q], kinds[c.p], box);
        ++disc_collisions[c.p];
        ++disc_collisions[c.q];
      }
    }
    for (int k = 0; k < n; ++k)
      if (!taken[k]) next[k] = settle_free<false>(discs[k]);
    discs = next;
  }

  // Discs that differ from the state in any bit.
  int differences(const State& state, double slow) const {
    const std::size_t n = discs.size();
    if (state.datasets.at("position").shape[0] != n) return static_cast<int>(n);
    const auto position = state.get<Real>("position", {n, 2}), velocity = state.get<Real>("velocity", {n, 2});
    const auto walls = state.get<std::uint32_t>("wall_collisions", {n}),
               pairs = state.get<std::uint32_t>("disc_collisions", {n});
    int different = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Real s = static_cast<Real>(slow);
      const Real mine[4] = {discs[k].x, discs[k].y, discs[k].vx * s, discs[k].vy * s};
      const Real theirs[4] = {position[2 * k], position[2 * k + 1], velocity[2 * k], velocity[2 * k + 1]};
      if (std::memcmp(mine, theirs, sizeof mine) != 0 || walls[k] != wall_collisions[k] ||
          pairs[k] != disc_collisions[k])
        ++different;
    }
    return different;
  }
};

}  // namespace perturb::particles
