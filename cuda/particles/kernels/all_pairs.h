// The paper's structure: the device checks all pairs, the host sorts and filters the candidates.
//
// The N(N-1)/2 pairs P < Q form a triangle. Its lower part is folded next to the upper one, so that they fill a
// rectangle of N columns by N/2 rows (N odd) and every thread has a pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/cell.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// Launch of the pairs on CUDA.
// - `block`: threads per block; 0: pairs are not checked this way.
// - The fast memory of a multiprocessor serves as cache or as shared memory.
// - A block may take a row of the unfolded triangle. The paper considered and rejected this: rows differ in length.
// - `discs_block`: threads per block of the loops over walls, collisions and discs.
struct PairsLaunch {
  int block = 0;
  bool prefer_cache = false, by_rows = false;
  int discs_block = 32;  // the paper's
};

// Candidate that is sent to the host. `p` and `q` are slots, p < q by id; q < 0: a wall.
template <class Real>
struct PairCandidate {
  Real time = 0;
  int p = 0, q = 0;
};

template <class Real, bool contract>
struct CheckPairs {
  Grid<Real> grid;
  PairCandidate<Real>* found;
  std::int64_t capacity;
  std::int64_t* counter;  // 64 bits: 65 537 discs have more pairs than 32 can count

  // Row a of the triangle holds the pairs (0, a) ... (a-1, a). With n odd, rows a and n-a together are n long.
  PERTURB_HD void operator()(int column, int row) const {
    const int n = grid.count | 1;  // for an even N as if there were one more disc; it is skipped
    const int long_row = row + (n + 1) / 2;
    const bool in_long = column < long_row;
    const int high = in_long ? long_row : n - long_row, low = in_long ? column : column - long_row;
    if (high >= grid.count || low >= high) return;
    pair(low, high);
  }
  PERTURB_HD void pair(int a, int b) const {
    const Real reach = grid.kind(a).radius + grid.kind(b).radius;
    const Real time = pair_time<contract>(grid.discs[a], grid.discs[b], reach);
    if (time <= Real(1)) put(time, a, b);
  }
  PERTURB_HD void wall(int a) const {
    const WallHit<Real> hit = wall_hit(grid.discs[a], grid.kind(a).radius, grid.box);
    if (hit.time <= Real(1)) put(hit.time, a, -1);
  }
  PERTURB_HD void put(Real time, int a, int b) const {
    const std::int64_t place = reserve_slot(*counter);
    if (place < capacity) found[place] = {time, a, b};
  }
};

template <class Real, bool contract>
struct CheckWalls {
  CheckPairs<Real, contract> check;
  PERTURB_HD void operator()(int i) const { check.wall(i); }
};

// Whether candidate a settles before b. `ids`: by slot.
template <class Real>
bool earlier_candidate(const PairCandidate<Real>& a, const PairCandidate<Real>& b, const int* ids) {
  if (a.time != b.time) return a.time < b.time;
  const auto id_p = [&](const PairCandidate<Real>& c) { return c.q < 0 ? ids[c.p] : std::min(ids[c.p], ids[c.q]); };
  const auto id_q = [&](const PairCandidate<Real>& c) { return c.q < 0 ? -1 : std::max(ids[c.p], ids[c.q]); };
  return earlier_by_id(id_p(a), id_q(a), id_p(b), id_q(b));
}

// Sequential filter: fills `best` and `taken` for the slots of the discs from candidates in their order.
template <class Real>
void filter_ordered(const std::vector<PairCandidate<Real>>& candidates, std::vector<int>& best,
                    std::vector<unsigned char>& taken) {
  std::fill(best.begin(), best.end(), no_partner);
  std::fill(taken.begin(), taken.end(), static_cast<unsigned char>(0));
  for (const PairCandidate<Real>& c : candidates) {
    if (taken[c.p] || (c.q >= 0 && taken[c.q])) continue;
    taken[c.p] = 1;
    best[c.p] = c.q < 0 ? wall_partner : c.q;
    if (c.q >= 0) {
      taken[c.q] = 1;
      best[c.q] = c.p;
    }
  }
}

// The same from candidates in any order.
template <class Real>
void filter_candidates(std::vector<PairCandidate<Real>>& candidates, const std::vector<int>& ids,
                       std::vector<int>& best, std::vector<unsigned char>& taken) {
  std::sort(candidates.begin(), candidates.end(), [&](const PairCandidate<Real>& a, const PairCandidate<Real>& b) {
    return earlier_candidate(a, b, ids.data());
  });
  filter_ordered(candidates, best, taken);
}

}  // namespace perturb::particles
