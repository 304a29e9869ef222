// The search of particles_step.h for CPUs: discs of neighbouring cells lie one after the other, so eight of them are tested at
// once in vector instructions, and only the few that may meet are looked at one by one. A pair is tested once, from the disc that
// comes first in the order of cells, and goes into the lists of both. The same candidates, the same bits.
//
// For one slice of time and discs that are all alike, where nearly all the time of a slow gas goes.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuda/core/atomic.h"
#include "cuda/core/field.h"
#include "cuda/core/parallel_for.h"
#include "cuda/particles/particles_step.h"

namespace perturb {

// Places and velocities in the order of the cells, an array each, with room to read a block beyond the end; and the list of
// candidates: each disc has a few places in it for itself, so that threads need not ask each other; what is beyond them
// goes into the common rest.
template <class Real>
struct SortedDiscs {
  static constexpr int block = 8, own_edges = 3;
  Array<Real> x, y, vx, vy;
  Array<int> heads;
  Array<DiscEdge<Real>> edges;
  SortedDiscs() = default;
  SortedDiscs(Backend& backend, std::size_t count)
      : x(backend, count + block, "sorted x"),
        y(backend, count + block, "sorted y"),
        vx(backend, count + block, "sorted vx"),
        vy(backend, count + block, "sorted vy"),
        heads(backend, count, "lists of candidates"),
        edges(backend, (own_edges + 1) * count + 64, "candidates") {}
  static std::size_t bytes_for(std::size_t count) {
    return count * (4 * sizeof(Real) + sizeof(int)) + ((own_edges + 1) * count + 64) * sizeof(DiscEdge<Real>);
  }
  // Places in `edges` that no disc owns.
  int rest() const { return static_cast<int>(edges.size() - own_edges * heads.size()); }
};

// Copies discs to where they lie in the order of the cells.
template <class Real>
struct CopyToRows {
  const Disc<Real>* discs;
  Real* x;
  Real* y;
  Real* vx;
  Real* vy;
  int* heads;
  Claim* claims;
  PERTURB_HD void operator()(int i, int place) const {
    const Disc<Real> d = discs[i];
    x[place] = d.x, y[place] = d.y, vx[place] = d.vx, vy[place] = d.vy;
    heads[i] = -1, claims[i] = unknown_claim;
  }
};

template <class Real, bool contract>
struct FindPairsInRows {
  FindLeast<Real, contract> find;
  StepControl* control;
  const Real* x;
  const Real* y;
  const Real* vx;
  const Real* vy;
  Real wide2;  // wide_reach2

  PERTURB_HD void operator()(int e) const {
    const DiscWorld<Real>& world = find.world;
    const DiscCells& cells = find.control->cells;
    const Disc<Real> self{x[e], y[e], vx[e], vy[e]};
    const Real reach = world.radius + world.radius;
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    const int left = cx > 0 ? cx - 1 : 0, right = cx + 1 < cells.nx ? cx + 1 : cx;
    const int* row = find.starts + static_cast<std::ptrdiff_t>(cy) * cells.nx;
    int edges = 0;
    run(e, self, reach, e + 1, row[right + 1], edges);
    if (cy + 1 < cells.ny) row += cells.nx, run(e, self, reach, row[left], row[right + 1], edges);
  }

  // Of pair_time the part before the root, and: what meets within the step is no further away than it can come in one,
  // |d| <= reach + |w|, hence d² - reach² - w² <= 2 reach |w|. Mostly no disc of a block passes, and that is one test: a number that
  // is not negative has no sign bit (and what is no number never meets anybody, whatever its sign).
  PERTURB_HD void run(int e, const Disc<Real>& self, Real reach, int from, int to, int& edges) const {
    constexpr int block = SortedDiscs<Real>::block;
    using Bits = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;
    for (int first = from; first < to; first += block) {
      Real fits[block];
      Bits signs = -1;
      for (int k = 0; k < block; ++k) {
        const Real dx = x[first + k] - self.x, dy = y[first + k] - self.y;
        const Real wx = vx[first + k] - self.vx, wy = vy[first + k] - self.vy;
        const Real a = product_sum<contract>(wx, wx, wy * wy);
        const Real b = Real(2) * product_sum<contract>(dx, wx, dy * wy);
        const Real c = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach)));
        const Real discriminant = product_sum<contract>(b, b, -(Real(4) * a * c));
        const Real beyond = c - a, within = wide2 * a - (beyond > Real(0) ? beyond : Real(0)) * beyond;
        const Real least = -b < discriminant ? -b : discriminant;
        fits[k] = (least < within ? least : within) + Real(0);  // -0 becomes 0
        Bits bits;
        memcpy(&bits, &fits[k], sizeof bits);
        signs &= bits;
      }
      if (signs < 0) continue;
      const int here = to - first < block ? to - first : block;
      for (int k = 0; k < here; ++k)
        if (fits[k] >= Real(0)) test(e, first + k, self, reach, edges);
    }
  }

  PERTURB_HD void test(int e, int k, const Disc<Real>& self, Real reach, int& edges) const {
    const Real time = pair_time<contract>(self, Disc<Real>{x[k], y[k], vx[k], vy[k]}, reach);
    if (time <= Real(1)) link(e, k, time, edges);
  }

  PERTURB_HD void link(int e, int k, Real time, int& edges) const {
    constexpr int own = SortedDiscs<Real>::own_edges;
    int place = own * e + edges;
    if (edges < own)
      ++edges;
    else
      place = own * find.world.count + take_place(control->edges);
    if (place >= find.lists.capacity) return;  // the caller sees it in control->edges, and comes again with room
    const int p = find.entries[e], q = find.entries[k];
    DiscEdge<Real>& edge = find.lists.edges[place];
    edge.time = time, edge.p = p, edge.q = q;
    edge.next[0] = atomic_exchange(find.lists.heads[p], 2 * place);
    edge.next[1] = atomic_exchange(find.lists.heads[q], 2 * place + 1);
  }
};

}  // namespace perturb
