// The rule `exact` as parallel loops: every collision of a step, in the order of time, bit-identical to sequential
// processing.
//
// The step is cut into windows so short that few discs collide in each. In a window:
//   1. find     Finds pairs that touch on straight paths, and discs that hit walls. Discs that may touch belong to one
//               cluster.
//   2. solve    A thread takes a cluster and processes its collisions one after the other, by time, then by ids, as if
//               there were no other discs.
//   3. verify   Compares the new paths with those of all other discs nearby. If two clusters would touch, they become
//               one, which is solved again from the beginning of the window, until no two touch.
//   4. commit   Discs that collided take their new states.
// The result is that of one sequential queue of all collisions. Two discs of different clusters never touch within the
// window, so the queue's order between clusters has no effect, and within a cluster it is kept.
//
// This file has the shared types, and steps 1 and 4; steps 2 and 3 are in model/exact_rounds.h.
//
// A disc's state is that of its own last collision (model/exact_cell.h). Windows, clusters and cells decide which discs
// are compared; they enter no number.
#pragma once

#include "cuda/core/loops/atomic.h"
#include "cuda/core/math/disjoint_sets.h"
#include "cuda/particles/model/exact_cell.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// State of a disc before its latest collision, unless that was the first of the window. `before` is the one before
// that, or -1.
template <class Real>
struct PriorState {
  TimedDisc<Real> state;
  int before;
};

// Data of a disc in a cluster. Scratch of a window. Discs in no cluster have no collisions and no unverified state, so
// that other threads may read them while they are added to one.
template <class Real>
struct ClusterDisc {
  TimedDisc<Real> now;
  Real event_time;  // of its next collision
  int partner;      // in it
  int prior;        // in the pool, or -1
  int next;         // next disc of the cluster
  int walls, pairs;
  int unverified;        // solved, but not yet verified
  std::int64_t impulse;  // given to walls, in impulse units
  PERTURB_HD bool has_collided() const { return walls + pairs > 0; }
};

// Counters are on separate cache lines, apart from each other and from values that all threads read: a line that one
// CPU core has written reaches the others late, and each disc reads some of these.
struct ExactControl {
  static constexpr std::size_t apart = 128;
  StepControl step;                    // cells; the largest velocity component of all discs; impulse given to walls
  alignas(apart) int active = 0;       // discs in clusters
  alignas(apart) int roots = 0;        // clusters
  alignas(apart) int pooled = 0;       // states in the pool
  alignas(apart) int conflicts = 0;    // clusters that touch have been found
  int work_pending = 0;                // this round has clusters to solve
  int pool_exhausted = 0;              // the pool was too short
  int too_many_collisions = 0;         // a cluster exceeded its limit of collisions in a window
  alignas(apart) float largest = 0;    // discs of a cluster
  alignas(apart) float deviation = 0;  // largest distance of a disc from the position assumed for its cell, lengths

  // No two clusters touch.
  PERTURB_HD bool is_settled() const { return active == 0 || conflicts == 0; }
  // Everything in the window could be solved. `most`: discs of a cluster, as in ExactWindow.
  PERTURB_HD bool is_whole(int most) const {
    return pool_exhausted == 0 && too_many_collisions == 0 && !is_too_large(most);
  }
  PERTURB_HD bool is_too_large(int most) const { return most > 0 && largest > static_cast<float>(most); }
};

template <class Real>
struct ExactArrays {
  Disc<Real>* discs;  // at their own times
  Real* times;
  ClusterDisc<Real>* cluster_discs;
  int *links, *active_flags, *needs_solve, *heads;
  int *active, *roots;
  PriorState<Real>* pool;
  int pool_size;
  ExactControl* control;
};

// Limit of collisions in a window for a cluster of this number of discs. If all discs touch at one instant, there are
// some for each pair. If there are more, discs rattle between walls that leave them no room. Each collision visits all
// discs of the cluster, so large clusters get fewer.
PERTURB_HD inline int max_collisions_in_window(int discs) {
  return discs < 600 ? 4096 + discs * discs : 4 * discs + 200000000 / discs;
}

// Window of the step, and the data of the loops.
template <class Real>
struct ExactWindow {
  DiscGrid<Real> grid;
  ExactArrays<Real> arrays;
  Real from = 0, until = 1;
  int threads = 1;  // that share the lists of active discs
  // Neighbouring threads per cluster, of which one works, or per disc, which share its neighbours.
  int lanes = 1;
  int max_discs = 0;  // of a cluster: a larger one is not solved, and the window must be shorter; 0: no limit
  double impulse_unit = 1;

  // All of it is solved and may be committed.
  PERTURB_HD bool is_done() const { return arrays.control->is_settled() && arrays.control->is_whole(max_discs); }
  PERTURB_HD TimedDisc<Real> base(int i) const { return timed_disc(arrays.discs[i], arrays.times[i]); }
  PERTURB_HD Real radius(int i) const { return grid.kinds ? grid.kinds[i].radius : grid.radius; }
  PERTURB_HD void activate(int i) const {
    if (relaxed_load(arrays.active_flags[i]) != 0 || atomic_exchange(arrays.active_flags[i], 1) != 0) return;
    relaxed_store(arrays.needs_solve[i], 1);
    arrays.heads[i] = -1;
    relaxed_store(arrays.active[reserve_slot(arrays.control->active)], i);  // ExactVerify may be reading the list
  }
  PERTURB_HD void join(int i, int j) const {
    activate(i), activate(j);
    unite_sets(arrays.links, i, j);
  }
  // Straight paths: whether a disc hits a wall, or two discs touch, in this window.
  PERTURB_HD void check_walls(int i) const {
    if (exact_wall_hit(base(i), radius(i), grid.box, until).time <= until) activate(i);
  }
  PERTURB_HD bool will_touch(int i, const TimedDisc<Real>& p, int j, const TimedDisc<Real>& q) const {
    return exact_pair_time(p, q, radius(i) + radius(j), until) <= until;
  }
  PERTURB_HD void check_pair(int i, int j) const {
    if (will_touch(i, base(i), j, base(j))) join(i, j);
  }
};

// Begins a window: cells for paths of its length.
template <class Real>
struct ExactBegin {
  ExactControl* control;
  double width, height, radius, length;
  int most_cells;
  PERTURB_HD void operator()(int) const {
    const double fastest = static_cast<double>(control->step.fastest) * length;
    control->step.cells = make_cells<Real>(width, height, radius, fastest, 1, most_cells);
    control->active = control->roots = control->pooled = control->pool_exhausted = control->too_many_collisions = 0;
    control->work_pending = 1, control->conflicts = 0;  // the first round solves what the search found
    control->largest = 0;
    // A smaller value makes no difference to the search, so that few discs have to write theirs.
    control->deviation = static_cast<float>(0.5 * fastest);
  }
};

// Converts discs to a step of unit time that begins and ends with the window.
template <class Real>
struct ProjectToWindow {
  ExactWindow<Real> window;
  Disc<Real>* there;
  PERTURB_HD void operator()(int i) const {
    TimedDisc<Real> d = window.base(i);
    advance(d, window.from);
    const Real length = window.until - window.from;
    there[i] = {d.x, d.y, d.vx * length, d.vy * length};
  }
};

// Step 1. Tests the discs in the order of their cells, each with those that come after it. Large discs, which are in no
// cell, come last.
template <class Real>
struct ExactFind {
  ExactWindow<Real> window;
  const int* starts;
  const int* entries;
  const Disc<Real>* sorted;  // as seen by ProjectToWindow

  PERTURB_HD void operator()(int e) const {
    const DiscGrid<Real>& grid = window.grid;
    const int binned = grid.count - grid.large_disc_count;
    if (e >= binned) {
      const int g = e - binned;
      window.check_walls(grid.large_discs[g]);
      for (int other = g + 1; other < grid.large_disc_count; ++other)
        window.check_pair(grid.large_discs[g], grid.large_discs[other]);
      return;
    }
    const StepControl& control = window.arrays.control->step;
    const DiscCells& cells = control.cells;
    const double length = static_cast<double>(window.until) - static_cast<double>(window.from);
    const double fastest = static_cast<double>(control.fastest) * length;
    const double extent = static_cast<double>(grid.box.right > grid.box.top ? grid.box.right : grid.box.top);
    const Real margin = static_cast<Real>(search_margin<Real>(static_cast<double>(grid.radius), fastest, extent));
    const int i = entries[e];
    const Disc<Real> self = sorted[e];
    if (near_wall(self, margin)) window.check_walls(i);
    for (int g = 0; g < grid.large_disc_count; ++g) window.check_pair(i, grid.large_discs[g]);
    const Real reach = Real(2) * grid.radius + margin, reach2 = reach * reach, wide2 = Real(4.01) * reach2;
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    const int left = cx > 0 ? cx - 1 : 0, right = cx + 1 < cells.nx ? cx + 1 : cx;
    const int* row = starts + static_cast<std::ptrdiff_t>(cy) * cells.nx;
    look(i, self, e + 1, row[right + 1], reach2, wide2);
    if (cy + 1 < cells.ny) look(i, self, row[cells.nx + left], row[cells.nx + right + 1], reach2, wide2);
  }
  PERTURB_HD bool near_wall(const Disc<Real>& d, Real margin) const {
    const DiscBox<Real>& box = window.grid.box;
    const Real near = window.grid.radius + margin;
    const Real wall = box.right + box.push * window.until, end_x = d.x + d.vx, end_y = d.y + d.vy;
    return !(end_x > near && end_y > near && end_x < wall - near && end_y < box.top - near);
  }
  // Discs that touch in the window are no farther apart than they can travel in it, |d| <= reach + |w|, and do not move
  // apart.
  PERTURB_HD void look(int i, const Disc<Real>& self, int from, int to, Real reach2, Real wide2) const {
    const bool whole_step = window.from == Real(0) && window.until == Real(1);
    for (int k = from; k < to; ++k) {
      const Disc<Real> other = sorted[k];
      const Real dx = other.x - self.x, dy = other.y - self.y, wx = other.vx - self.vx, wy = other.vy - self.vy;
      const Real w2 = wx * wx + wy * wy, b = dx * wx + dy * wy, beyond = dx * dx + dy * dy - reach2 - w2;
      // Both conditions at once: every second pair moves apart, which no processor can predict; nearly all pairs fail
      // one of the two.
      const bool apart = b > Real(1e-6) * (w2 + reach2);
      const bool far = static_cast<int>(beyond > Real(0)) & static_cast<int>(beyond * beyond > wide2 * w2);
      if (static_cast<int>(apart) | static_cast<int>(far)) continue;
      // If the window is the whole step, the sorted copies are the discs themselves.
      if (!whole_step)
        window.check_pair(i, entries[k]);
      else if (window.will_touch(i, timed_disc(self, Real(0)), entries[k], timed_disc(other, Real(0))))
        window.join(i, entries[k]);
    }
  }
};

// How a window ends: its result is committed; discarded, because the window must be tried again; or committed only if
// the loop itself finds that the window is done.
enum class CommitMode : std::uint8_t { all, nothing, if_done };

// Step 4. Commits the solution and leaves no cluster.
template <class Real>
struct ExactCommit {
  ExactWindow<Real> window;
  std::uint32_t* wall_collisions;
  std::uint32_t* disc_collisions;
  CommitMode what;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (what == CommitMode::if_done && !window.is_done()) return;
    const bool take = what != CommitMode::nothing;
    const int count = a.control->active;
    for (; k < count; k += window.threads) {
      const int i = a.active[k];
      a.links[i] = i, a.active_flags[i] = 0, a.needs_solve[i] = 0;
      const ClusterDisc<Real> cluster_disc = a.cluster_discs[i];
      a.cluster_discs[i].walls = a.cluster_discs[i].pairs = a.cluster_discs[i].unverified = 0;
      if (!take || !cluster_disc.has_collided()) continue;
      const TimedDisc<Real>& d = cluster_disc.now;
      a.discs[i] = {d.x, d.y, d.vx, d.vy}, a.times[i] = d.time;
      wall_collisions[i] += static_cast<std::uint32_t>(cluster_disc.walls);
      disc_collisions[i] += static_cast<std::uint32_t>(cluster_disc.pairs);
      if (cluster_disc.impulse != 0) atomic_add(a.control->step.impulse, cluster_disc.impulse);
      const Real ax = d.vx < Real(0) ? -d.vx : d.vx, ay = d.vy < Real(0) ? -d.vy : d.vy;
      atomic_max(a.control->step.fastest, static_cast<float>(ax > ay ? ax : ay) * 1.000001f);
    }
  }
};

// Moves all discs to the end of the step, if its last window is done.
template <class Real>
struct ExactEnd {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int i) const {
    if (!window.is_done()) return;
    window.arrays.discs[i] = exact_end(window.base(i), window.radius(i), window.grid.box);
    if (window.arrays.times[i] != Real(0)) window.arrays.times[i] = 0;
  }
};

// Clears the clusters and puts all discs at the beginning of a step.
template <class Real>
struct ExactReset {
  ExactArrays<Real> arrays;
  PERTURB_HD void operator()(int i) const {
    arrays.links[i] = i, arrays.active_flags[i] = arrays.needs_solve[i] = 0, arrays.times[i] = 0;
    arrays.cluster_discs[i].walls = arrays.cluster_discs[i].pairs = arrays.cluster_discs[i].unverified = 0;
  }
};

}  // namespace perturb::particles
