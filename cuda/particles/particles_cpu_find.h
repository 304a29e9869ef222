// The search of particles_step.h for CPUs: discs of neighbouring cells lie one after the other, so eight of them are tested at
// once in vector instructions, and only the few that may meet are looked at one by one. The same candidates, the same bits.
//
// For one slice of time and discs that are all alike, where nearly all the time of a slow gas goes.
#pragma once

#include "cuda/core/field.h"
#include "cuda/core/parallel_for.h"
#include "cuda/particles/particles_step.h"

namespace perturb {

// Places and velocities in the order of the cells, an array each, with room to read a block beyond the end.
template <class Real>
struct SortedDiscs {
  static constexpr int block = 8;
  Array<Real> x, y, vx, vy;
  SortedDiscs() = default;
  SortedDiscs(Backend& backend, std::size_t count)
      : x(backend, count + block, "sorted x"),
        y(backend, count + block, "sorted y"),
        vx(backend, count + block, "sorted vx"),
        vy(backend, count + block, "sorted vy") {}
};

template <class Real>
struct GatherSorted {
  const Disc<Real>* discs;
  const int* entries;
  Real* x;
  Real* y;
  Real* vx;
  Real* vy;
  PERTURB_HD void operator()(int e) const {
    const Disc<Real> d = discs[entries[e]];
    x[e] = d.x, y[e] = d.y, vx[e] = d.vx, vy[e] = d.vy;
  }
};

template <class Real, bool contract>
struct FindLeastInRows {
  FindLeast<Real, contract> find;
  const Real* x;
  const Real* y;
  const Real* vx;
  const Real* vy;

  PERTURB_HD void operator()(int e) const {
    constexpr int block = SortedDiscs<Real>::block;
    const DiscWorld<Real>& world = find.world;
    const DiscCells cells = find.control->cells;
    const int i = find.entries[e];
    const Disc<Real> self{x[e], y[e], vx[e], vy[e]};
    LeastCandidate<Real> least;
    const WallHit<Real> hit = wall_hit(self, world.radius, world.box);
    if (hit.time <= Real(1)) least = {hit.time, wall_partner};
    const Real reach = world.radius + world.radius, reach2 = reach * reach;
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    for (int row = cy > 0 ? cy - 1 : 0; row <= cy + 1 && row < cells.ny; ++row) {
      const int from = find.starts[row * cells.nx + (cx > 0 ? cx - 1 : 0)];
      const int to = find.starts[row * cells.nx + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      for (int first = from; first < to; first += block) {
        // Of pair_time the part before the root, and: what meets within the step is no further away than it can come in one,
        // |d| <= reach + |w|, hence d² - reach² - w² <= 2 reach |w| (with room for rounding).
        int may[block];
        for (int k = 0; k < block; ++k) {
          const Real dx = x[first + k] - self.x, dy = y[first + k] - self.y;
          const Real wx = vx[first + k] - self.vx, wy = vy[first + k] - self.vy;
          const Real a = product_sum<contract>(wx, wx, wy * wy);
          const Real b = Real(2) * product_sum<contract>(dx, wx, dy * wy);
          const Real c = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach)));
          const Real discriminant = product_sum<contract>(b, b, -(Real(4) * a * c));
          const Real beyond = c - a;
          may[k] = static_cast<int>(b <= Real(0)) & static_cast<int>(discriminant >= Real(0)) &
                   static_cast<int>(a > Real(0)) &
                   (static_cast<int>(beyond <= Real(0)) | static_cast<int>(beyond * beyond <= Real(4.01) * reach2 * a));
        }
        const int here = to - first < block ? to - first : block;
        for (int k = 0; k < here; ++k)
          if (may[k]) find.consider(i, find.entries[first + k], self, world.radius, least);
      }
    }
    find.best[i] = least.partner;
  }
};

}  // namespace perturb
