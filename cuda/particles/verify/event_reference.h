// The rule `exact` implemented a second time: one list of all collisions that may come next; the first one is executed,
// until the end of the step. Slow and simple.
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
struct EventReference {
  std::vector<TimedDisc<Real>> discs;  // velocities in lengths per step
  std::vector<Kind<Real>> kinds;
  std::vector<std::uint32_t> wall_collisions, disc_collisions;
  Box<Real> box;
  ExactPhysics<Real> physics;
  int events = 0;  // of the last step

  EventReference(const State& state, double width, double height, double radius, double slow) {
    const std::size_t n = state.datasets.at("position").shape[0];
    const auto position = state.get<Real>("position", {n, 2}), velocity = state.get<Real>("velocity", {n, 2});
    const Real s = static_cast<Real>(slow);
    for (std::size_t k = 0; k < n; ++k)
      discs.push_back({position[2 * k], position[2 * k + 1], velocity[2 * k] / s, velocity[2 * k + 1] / s, Real(0)});
    kinds.assign(n, {static_cast<Real>(radius), Real(1)});
    if (state.has("radius")) {
      const auto radii = state.get<Real>("radius", {n}), masses = state.get<Real>("mass", {n});
      for (std::size_t k = 0; k < n; ++k) kinds[k] = {radii[k], masses[k]};
    }
    wall_collisions = state.get<std::uint32_t>("wall_collisions", {n});
    disc_collisions = state.get<std::uint32_t>("disc_collisions", {n});
    box = {static_cast<Real>(width), static_cast<Real>(height), Real(0)};
  }

  struct Event {
    Real time = 2;
    int p = -1, kind = 0, q = -1;  // kind 0: a wall, 1: a pair
    std::tuple<Real, int, int, int> key() const { return {time, p, kind, q}; }
  };

  // The first of disc p's collisions with walls and with discs of larger ids.
  Event first_of(int p) const {
    Event first;
    const auto take = [&](const Event& e) {
      if (e.time <= Real(1) && (first.p < 0 || e.key() < first.key())) first = e;
    };
    take({wall(p).time, p, 0, -1});
    for (int q = p + 1; q < static_cast<int>(discs.size()); ++q) take(pair(p, q));
    return first;
  }
  Event pair(int p, int q) const {
    return {exact_pair_time(discs[p], discs[q], kinds[p].radius + kinds[q].radius, Real(1), physics.gravity), p, 1, q};
  }
  WallHit<Real> wall(int p) const { return exact_wall_hit(discs[p], kinds[p].radius, box, Real(1), physics.gravity); }

  void step() {
    const int n = static_cast<int>(discs.size());
    std::vector<Event> first(discs.size());
    for (int p = 0; p < n; ++p) first[p] = first_of(p);
    for (events = 0;; ++events) {
      Event next;
      for (const Event& e : first)
        if (e.p >= 0 && (next.p < 0 || e.key() < next.key())) next = e;
      if (next.p < 0) break;
      const int p = next.p, q = next.q;
      if (next.kind == 0) {
        WallExchange<Real> ignored;
        discs[p] = exact_settle_wall(discs[p], kinds[p].radius, box, wall(p), ignored, physics, kinds[p].mass,
                                     WallCollision{p, wall_collisions[p]});
        ++wall_collisions[p];
      } else {
        const TimedDisc<Real> was = discs[p];
        discs[p] = exact_settle_pair(was, discs[q], next.time, kinds[p], kinds[q], physics);
        discs[q] = exact_settle_pair(discs[q], was, next.time, kinds[q], kinds[p], physics);
        ++disc_collisions[p];
        ++disc_collisions[q];
      }
      for (int k = 0; k < n; ++k) {
        const bool concerned = k == p || k == q || first[k].q == p || (q >= 0 && first[k].q == q);
        if (concerned) {
          first[k] = first_of(k);
          continue;
        }
        for (const int changed : {p, q}) {
          if (changed <= k) continue;
          const Event e = pair(k, changed);
          if (e.time <= Real(1) && (first[k].p < 0 || e.key() < first[k].key())) first[k] = e;
        }
      }
    }
    for (int k = 0; k < n; ++k) {
      const Disc<Real> end = exact_end(discs[k], kinds[k].radius, box, physics.gravity);
      discs[k] = timed_disc(end, Real(0));
    }
    box.right += box.push;
  }

  // Number of discs that differ from the state in any bit.
  int differences(const State& state, double slow) const {
    const std::size_t n = discs.size();
    if (state.datasets.at("position").shape[0] != n) return static_cast<int>(n);
    const auto position = state.get<Real>("position", {n, 2}), velocity = state.get<Real>("velocity", {n, 2});
    const auto walls = state.get<std::uint32_t>("wall_collisions", {n}),
               pairs = state.get<std::uint32_t>("disc_collisions", {n});
    const Real s = static_cast<Real>(slow);
    int different = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Real mine[4] = {discs[k].x, discs[k].y, discs[k].vx * s, discs[k].vy * s};
      const Real theirs[4] = {position[2 * k], position[2 * k + 1], velocity[2 * k], velocity[2 * k + 1]};
      if (std::memcmp(mine, theirs, sizeof mine) != 0 || walls[k] != wall_collisions[k] ||
          pairs[k] != disc_collisions[k])
        ++different;
    }
    return different;
  }

  // Least distance of two discs over the sum of their radii.
  double min_distance() const {
    double min_ratio = 1e300;
    for (std::size_t p = 0; p < discs.size(); ++p)
      for (std::size_t q = p + 1; q < discs.size(); ++q) {
        const double dx = static_cast<double>(discs[q].x) - static_cast<double>(discs[p].x);
        const double dy = static_cast<double>(discs[q].y) - static_cast<double>(discs[p].y);
        min_ratio = std::min(min_ratio, std::hypot(dx, dy) / static_cast<double>(kinds[p].radius + kinds[q].radius));
      }
    return min_ratio;
  }
};

}  // namespace perturb::particles
