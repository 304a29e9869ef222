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
// A disc's state is that of its own last collision (model/cell.h). Windows, clusters and cells decide which discs
// are compared; they enter no number.
#pragma once

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/cell.h"
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
  int unverified;  // solved, but not yet verified
  PERTURB_HD bool has_collided() const { return walls + pairs > 0; }
};

// Counters are on separate cache lines, apart from each other and from values that all threads read: a line that one
// CPU core has written reaches the others late, and each disc reads some of these.
struct ExactControl {
  static constexpr std::size_t apart = 128;
  StepControl step;                    // cells; the largest velocity component of all discs; exchange with walls
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
  // In the window, of discs that have hit walls in it. (Apart: few have, and all go through the other data.)
  WallGains* gains;
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
  Grid<Real> grid;
  ExactArrays<Real> arrays;
  Real from = 0, until = 1;
  int threads = 1;  // that share the lists of active discs
  // Neighbouring threads per cluster, of which one works, or per disc, which share its neighbours.
  int lanes = 1;
  int max_discs = 0;  // of a cluster: a larger one is not solved, and the window must be shorter; 0: no limit
  WallUnits units;
  ExactPhysics<Real> physics;
  const std::uint32_t* wall_collisions = nullptr;  // of each disc, until this window

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
    activate(i);
    activate(j);
    unite_sets(arrays.links, i, j);
  }
  // Straight paths: whether a disc hits a wall, or two discs touch, in this window.
  PERTURB_HD void check_walls(int i) const {
    if (wall_hit_of(base(i), radius(i)).time <= until) activate(i);
  }
  PERTURB_HD bool will_touch(int i, const TimedDisc<Real>& p, int j, const TimedDisc<Real>& q) const {
    return exact_pair_time(p, q, radius(i) + radius(j), until, physics.gravity) <= until;
  }
  PERTURB_HD WallHit<Real> wall_hit_of(const TimedDisc<Real>& d, Real radius) const {
    return exact_wall_hit(d, radius, grid.box, until, physics.gravity);
  }
  // Bound of the distance between the parabola of a disc and the straight path with its velocity at any time of the
  // window. Searches assume straight paths.
  PERTURB_HD Real fall() const { return physics.gravity * (until - from) * (until - from); }
  PERTURB_HD void check_pair(int i, int j) const {
    if (will_touch(i, base(i), j, base(j))) join(i, j);
  }
};

// Begins a window: cells for paths of its length.
template <class Real>
struct ExactBegin {
  ExactControl* control;
  double width, height, radius, length;
  int max_cells;
  float gained;  // speed that gravity adds, if a step begins
  PERTURB_HD void operator()(int) const {
    if (gained > 0) control->step.fastest = (control->step.fastest + gained) * 1.000001f;
    const double fastest = static_cast<double>(control->step.fastest) * length;
    control->step.cells = make_cells<Real>(width, height, radius, fastest, 1, max_cells);
    control->active = control->roots = control->pooled = control->pool_exhausted = control->too_many_collisions = 0;
    // The first round solves what the search found.
    control->work_pending = 1;
    control->conflicts = 0;
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
    advance(d, window.from, window.physics.gravity);
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
    const Grid<Real>& grid = window.grid;
    const int binned = grid.count - grid.large_disc_count;
    if (e >= binned) {
      const int g = e - binned;
      window.check_walls(grid.large_discs[g]);
      for (int other = g + 1; other < grid.large_disc_count; ++other)
        window.check_pair(grid.large_discs[g], grid.large_discs[other]);
      return;
    }
    const StepControl& control = window.arrays.control->step;
    const Cells& cells = control.cells;
    const double length = static_cast<double>(window.until) - static_cast<double>(window.from);
    const double fastest = static_cast<double>(control.fastest) * length;
    const double extent = static_cast<double>(grid.box.right > grid.box.top ? grid.box.right : grid.box.top);
    const Real margin = static_cast<Real>(search_margin<Real>(static_cast<double>(grid.radius), fastest, extent));
    const int i = entries[e];
    const Disc<Real> self = sorted[e];
    if (near_wall(self, margin + window.fall())) window.check_walls(i);
    for (int g = 0; g < grid.large_disc_count; ++g) window.check_pair(i, grid.large_discs[g]);
    const Real reach = Real(2) * grid.radius + margin, reach2 = reach * reach, wide2 = Real(4.01) * reach2;
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    const int left = cx > 0 ? cx - 1 : 0, right = cx + 1 < cells.nx ? cx + 1 : cx;
    const int* row = starts + static_cast<std::ptrdiff_t>(cy) * cells.nx;
    scan(i, self, e + 1, row[right + 1], reach2, wide2);
    if (cy + 1 < cells.ny) scan(i, self, row[cells.nx + left], row[cells.nx + right + 1], reach2, wide2);
  }
  PERTURB_HD bool near_wall(const Disc<Real>& d, Real margin) const {
    const Box<Real>& box = window.grid.box;
    const Real near = window.grid.radius + margin;
    const Real wall = box.right + box.push * window.until, end_x = d.x + d.vx, end_y = d.y + d.vy;
    return !(end_x > near && end_y > near && end_x < wall - near && end_y < box.top - near);
  }
  // Discs that touch in the window are no farther apart than they can travel in it, |d| <= reach + |w|, and do not move
  // apart.
  PERTURB_HD void scan(int i, const Disc<Real>& self, int from, int to, Real reach2, Real wide2) const {
    const bool whole_step = window.from == Real(0) && window.until == Real(1);
    for (int k = from; k < to; ++k) {
      const Disc<Real> other = sorted[k];
      const Real dx = other.x - self.x, dy = other.y - self.y, wx = other.vx - self.vx, wy = other.vy - self.vy;
      const Real w2 = wx * wx + wy * wy, b = dx * wx + dy * wy, beyond = dx * dx + dy * dy - reach2 - w2;
      // Both conditions without a branch between them: half of the pairs move apart, so a branch on that alone would
      // often be mispredicted; nearly all pairs fulfil one of the two.
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
      a.links[i] = i;
      a.active_flags[i] = 0;
      a.needs_solve[i] = 0;
      const ClusterDisc<Real> cluster_disc = a.cluster_discs[i];
      a.cluster_discs[i].walls = a.cluster_discs[i].pairs = a.cluster_discs[i].unverified = 0;
      if (!take || !cluster_disc.has_collided()) continue;
      const TimedDisc<Real>& d = cluster_disc.now;
      a.discs[i] = {d.x, d.y, d.vx, d.vy};
      a.times[i] = d.time;
      wall_collisions[i] += static_cast<std::uint32_t>(cluster_disc.walls);
      disc_collisions[i] += static_cast<std::uint32_t>(cluster_disc.pairs);
      if (cluster_disc.walls > 0) add_gains(a.control->step.gains, a.gains[i]);
      const Real ax = d.vx < Real(0) ? -d.vx : d.vx, ay = d.vy < Real(0) ? -d.vy : d.vy;
      const Real gained = window.physics.gravity;  // until the step ends
      atomic_max(a.control->step.fastest, static_cast<float>((ax > ay ? ax : ay) + gained) * 1.000001f);
    }
  }
};

// Moves all discs to the end of the step, if its last window is done.
template <class Real>
struct ExactEnd {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int i) const {
    if (!window.is_done()) return;
    window.arrays.discs[i] = exact_end(window.base(i), window.radius(i), window.grid.box, window.physics.gravity);
    if (window.arrays.times[i] != Real(0)) window.arrays.times[i] = 0;
  }
};

// Clears the clusters and puts all discs at the beginning of a step.
template <class Real>
struct ExactReset {
  ExactArrays<Real> arrays;
  PERTURB_HD void operator()(int i) const {
    arrays.links[i] = i;
    arrays.active_flags[i] = arrays.needs_solve[i] = 0;
    arrays.times[i] = 0;
    arrays.cluster_discs[i].walls = arrays.cluster_discs[i].pairs = arrays.cluster_discs[i].unverified = 0;
  }
};

// ---- rounds: solve and verify, until no two clusters touch

// Before each round except the first: removes all discs from lists.
template <class Real>
struct ExactPrepare {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (k == 0) {
      a.control->work_pending = a.control->conflicts;
      a.control->conflicts = 0;
      a.control->roots = 0;
    }
    const int count = a.control->active;
    for (; k < count; k += window.threads) {
      a.heads[a.active[k]] = -1;
      a.cluster_discs[a.active[k]].unverified = 0;
    }
  }
};
// The discs of each cluster, as a list at its root. Its order does not matter: clusters are processed by times and ids.
template <class Real>
struct ExactGather {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->work_pending) return;
    const int count = a.control->active;
    for (; k < count; k += window.threads) {
      const int i = a.active[k], root = find_set(a.links, i);
      if (relaxed_load(a.needs_solve[i]) != 0) relaxed_store(a.needs_solve[root], 1);
      const int before = atomic_exchange(a.heads[root], i);
      a.cluster_discs[i].next = before;
      if (before < 0) a.roots[reserve_slot(a.control->roots)] = root;
    }
  }
};

// Step 2. Processes the collisions of a cluster, one after the other.
template <class Real>
struct ExactSolve {
  static constexpr int max_local_discs = 8;
  ExactWindow<Real> window;

  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->work_pending) return;
    const int lanes = (window.lanes + 1) / 2;  // a cluster has work for fewer threads than a disc with its neighbours
    if (k % lanes != 0) return;
    const int count = a.control->roots;
    for (k /= lanes; k < count; k += window.threads / lanes)
      if (relaxed_load(a.needs_solve[a.roots[k]]) != 0) solve(a.heads[a.roots[k]]);
  }

  // One disc or two, as in most clusters: everything stays in registers. `second` is -1 for one.
  PERTURB_HD void solve_few(int first, int second) const {
    const ExactArrays<Real>& a = window.arrays;
    const bool two = second >= 0;
    const Kind<Real> kind = window.grid.kind(first), other_kind = window.grid.kind(two ? second : first);
    ClusterDisc<Real> one = make_cluster_disc(first), other = make_cluster_disc(two ? second : first);
    for (int collisions = 0;; ++collisions) {
      const WallHit<Real> hit = window.wall_hit_of(one.now, kind.radius);
      const WallHit<Real> other_hit = two ? window.wall_hit_of(other.now, other_kind.radius) : WallHit<Real>{};
      const Real meeting = two ? exact_pair_time(one.now, other.now, kind.radius + other_kind.radius, window.until,
                                                 window.physics.gravity)
                               : never<Real>;
      // The earlier of the two wall collisions, then compared with the pair's.
      const bool second_wall = two && before(second, other_hit.time, wall_partner, first, hit.time, wall_partner);
      const Real wall_time = second_wall ? other_hit.time : hit.time;
      const bool pair = two && before(first, meeting, second, second_wall ? second : first, wall_time, wall_partner);
      if (!((pair ? meeting : wall_time) <= window.until)) break;
      if (!can_continue(collisions, two ? 2 : 1)) return;
      if ((pair || !second_wall) && !remember(one)) return;
      if ((pair || second_wall) && !remember(other)) return;
      if (pair) {
        const TimedDisc<Real> self = one.now;
        one.now = exact_settle_pair(self, other.now, meeting, kind, other_kind, window.physics);
        other.now = exact_settle_pair(other.now, self, meeting, other_kind, kind, window.physics);
        ++one.pairs;
        ++other.pairs;
      } else if (second_wall) {
        hit_wall(second, other, other_kind, other_hit);
      } else {
        hit_wall(first, one, kind, hit);
      }
    }
    one.next = a.cluster_discs[first].next;
    a.cluster_discs[first] = one;
    if (one.has_collided()) record_deviation(first);
    if (!two) return;
    other.next = a.cluster_discs[second].next;
    a.cluster_discs[second] = other;
    if (other.has_collided()) record_deviation(second);
  }
  PERTURB_HD ClusterDisc<Real> make_cluster_disc(int i) const {
    ClusterDisc<Real> cluster_disc;
    cluster_disc.now = window.base(i);
    cluster_disc.event_time = never<Real>;
    cluster_disc.partner = no_partner;
    cluster_disc.prior = -1;
    cluster_disc.next = -1;
    cluster_disc.walls = cluster_disc.pairs = 0;
    cluster_disc.unverified = 1;
    return cluster_disc;
  }
  PERTURB_HD void hit_wall(int i, ClusterDisc<Real>& cluster_disc, const Kind<Real>& kind,
                           const WallHit<Real>& hit) const {
    WallExchange<Real> exchange;
    const WallCollision number{window.grid.ids[i],
                               window.wall_collisions[i] + static_cast<std::uint32_t>(cluster_disc.walls)};
    cluster_disc.now = exact_settle_wall(cluster_disc.now, kind.radius, window.grid.box, hit, exchange, window.physics,
                                         kind.mass, number);
    WallGains& gains = window.arrays.gains[i];
    if (cluster_disc.walls == 0) gains = {};
    ++cluster_disc.walls;
    add_exchange(gains, exchange, kind.mass, window.units);
  }

  PERTURB_HD void solve(int first) const {
    ClusterDisc<Real>* cluster_discs = window.arrays.cluster_discs;
    int discs = 0, second = -1;
    for (int i = first; i >= 0; i = cluster_discs[i].next) {
      window.arrays.needs_solve[i] = 0;
      if (++discs == 2) second = i;
    }
    if (discs <= 2) {
      solve_few(first, second);
      return;
    }
    atomic_max(window.arrays.control->largest, static_cast<float>(discs));
    if (window.max_discs > 0 && discs > window.max_discs) return;
    if (!(discs <= max_local_discs ? solve_in_registers(first, discs) : solve_in_place(first, discs))) return;
    for (int i = first; i >= 0; i = cluster_discs[i].next)
      if (cluster_discs[i].has_collided()) record_deviation(i);
  }
  // Small clusters fit in a thread's own memory, which is far faster than the device's. A thread waits here for one
  // word after the other, and the rounds of a window wait for the slowest thread.
  PERTURB_HD bool solve_in_registers(int first, int discs) const {
    ClusterDisc<Real> local_discs[max_local_discs], *cluster_discs = window.arrays.cluster_discs;
    int names[max_local_discs];
    int n = 0;
    for (int i = first; n < discs; i = cluster_discs[i].next, ++n) {
      names[n] = i;
      local_discs[n] = make_cluster_disc(i);
      local_discs[n].next = n + 1 < discs ? n + 1 : -1;
    }
    if (!solve_all({local_discs, names, 0}, discs)) return false;
    for (n = 0; n < discs; ++n) {
      local_discs[n].next = n + 1 < discs ? names[n + 1] : -1;
      cluster_discs[names[n]] = local_discs[n];
    }
    return true;
  }
  PERTURB_HD bool solve_in_place(int first, int discs) const {
    ClusterDisc<Real>* cluster_discs = window.arrays.cluster_discs;
    for (int i = first; i >= 0; i = cluster_discs[i].next) {
      const int next = cluster_discs[i].next;
      cluster_discs[i] = make_cluster_disc(i);
      cluster_discs[i].next = next;
    }
    return solve_all({cluster_discs, nullptr, first}, discs);
  }

  // Storage of a cluster's discs while it is solved.
  struct Cluster {
    ClusterDisc<Real>* cluster_discs;
    const int* names;  // which disc each of them is; null: cluster_discs[i] is disc i
    int first;
    PERTURB_HD int name(int i) const { return names ? names[i] : i; }
  };
  // Returns false if it was stopped; the window will be tried again.
  PERTURB_HD bool solve_all(const Cluster& c, int discs) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    for (int i = c.first; i >= 0; i = cluster_discs[i].next) look(c, i);
    for (int collisions = 0;; ++collisions) {
      int best = c.first;
      for (int i = cluster_discs[best].next; i >= 0; i = cluster_discs[i].next)
        if (before(c, i, cluster_discs[i].event_time, cluster_discs[i].partner, best, cluster_discs[best].event_time,
                   cluster_discs[best].partner))
          best = i;
      if (!(cluster_discs[best].event_time <= window.until)) return true;
      if (!can_continue(collisions, discs) || !collide(c, best)) return false;
    }
  }
  PERTURB_HD bool before(const Cluster& c, int i, Real time, int j, int k, Real other_time, int l) const {
    return before(c.name(i), time, j < 0 ? j : c.name(j), c.name(k), other_time, l < 0 ? l : c.name(l));
  }

  // Whether disc i's collision with `j` comes before disc k's with `l`.
  PERTURB_HD bool before(int i, Real time, int j, int k, Real other_time, int l) const {
    if (time != other_time) return time < other_time;
    if (!(time <= Real(1))) return false;
    const int* ids = window.grid.ids;
    int p = ids[i], q = -1, other_p = ids[k], other_q = -1;
    if (j >= 0) {
      p = ids[i] < ids[j] ? ids[i] : ids[j];
      q = ids[i] < ids[j] ? ids[j] : ids[i];
    }
    if (l >= 0) {
      other_p = ids[k] < ids[l] ? ids[k] : ids[l];
      other_q = ids[k] < ids[l] ? ids[l] : ids[k];
    }
    return earlier_by_id(p, q, other_p, other_q);
  }
  PERTURB_HD void check_candidate(const Cluster& c, int i, int j) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    const Real reach = window.radius(c.name(i)) + window.radius(c.name(j));
    const Real time =
        exact_pair_time(cluster_discs[i].now, cluster_discs[j].now, reach, window.until, window.physics.gravity);
    if (before(c, i, time, j, i, cluster_discs[i].event_time, cluster_discs[i].partner)) {
      cluster_discs[i].event_time = time;
      cluster_discs[i].partner = j;
    }
  }
  // Finds disc i's next collision.
  PERTURB_HD void look(const Cluster& c, int i) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    cluster_discs[i].event_time = window.wall_hit_of(cluster_discs[i].now, window.radius(c.name(i))).time;
    cluster_discs[i].partner = cluster_discs[i].event_time <= Real(1) ? wall_partner : no_partner;
    for (int j = c.first; j >= 0; j = cluster_discs[j].next)
      if (j != i) check_candidate(c, i, j);
  }
  PERTURB_HD bool can_continue(int collisions, int discs) const {
    if (collisions < max_collisions_in_window(discs)) return true;
    relaxed_store(window.arrays.control->too_many_collisions, 1);
    return false;
  }
  PERTURB_HD bool remember(ClusterDisc<Real>& cluster_disc) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!cluster_disc.has_collided()) return true;  // the state before it is the window's
    const int place = reserve_slot(a.control->pooled);
    if (place >= a.pool_size) {
      relaxed_store(a.control->pool_exhausted, 1);
      return false;
    }
    a.pool[place] = {cluster_disc.now, cluster_disc.prior};
    cluster_disc.prior = place;
    return true;
  }
  // Executes disc i's next collision. Returns false if there is no room to store its prior state.
  PERTURB_HD bool collide(const Cluster& c, int i) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    const Real time = cluster_discs[i].event_time;
    const int j = cluster_discs[i].partner;
    const Kind<Real> kind = window.grid.kind(c.name(i));
    if (!remember(cluster_discs[i]) || (j >= 0 && !remember(cluster_discs[j]))) return false;
    if (j == wall_partner) {
      hit_wall(c.name(i), cluster_discs[i], kind,
               exact_wall_hit(cluster_discs[i].now, kind.radius, window.grid.box, Real(1), window.physics.gravity));
    } else {
      const Kind<Real> other_kind = window.grid.kind(c.name(j));
      const TimedDisc<Real> self = cluster_discs[i].now;
      cluster_discs[i].now = exact_settle_pair(self, cluster_discs[j].now, time, kind, other_kind, window.physics);
      cluster_discs[j].now = exact_settle_pair(cluster_discs[j].now, self, time, other_kind, kind, window.physics);
      ++cluster_discs[i].pairs;
      ++cluster_discs[j].pairs;
    }
    for (int k = c.first; k >= 0; k = cluster_discs[k].next) {
      if (k == i || k == j) continue;
      if (cluster_discs[k].partner == i || (j >= 0 && cluster_discs[k].partner == j)) {
        look(c, k);
        continue;
      }
      check_candidate(c, k, i);
      if (j >= 0) check_candidate(c, k, j);
    }
    look(c, i);
    if (j >= 0) look(c, j);
    return true;
  }
  PERTURB_HD void record_deviation(int i) const;
};

// Path of a disc through the window, one straight piece at a time, the latest first.
template <class Real>
struct ExactPath {
  const ExactArrays<Real>& arrays;
  TimedDisc<Real> base, piece;
  Real end;
  int prior;
  bool at_base;
  PERTURB_HD ExactPath(const ExactWindow<Real>& window, int i)
      : arrays(window.arrays), base(window.base(i)), piece(base), end(window.until), prior(-1), at_base(true) {
    const ClusterDisc<Real>& cluster_disc = arrays.cluster_discs[i];
    if (!cluster_disc.has_collided()) return;
    piece = cluster_disc.now;
    prior = cluster_disc.prior;
    at_base = false;
  }
  // Moves to the piece before; false if there is none.
  PERTURB_HD bool earlier() {
    if (at_base) return false;
    end = piece.time;
    if (prior >= 0) {
      piece = arrays.pool[prior].state;
      prior = arrays.pool[prior].before;
    } else {
      piece = base;
      at_base = true;
    }
    return true;
  }
};

// Bounding box of the ends of a path's pieces. Under gravity a piece leaves it by less than ExactWindow::fall().
template <class Real>
struct ExactExtent {
  Real low_x, high_x, low_y, high_y;
  PERTURB_HD ExactExtent(ExactPath<Real> path, Real from, Real gravity) {
    TimedDisc<Real> d = path.base;
    advance(d, from, gravity);
    low_x = high_x = d.x;
    low_y = high_y = d.y;
    do {
      d = path.piece;
      advance(d, path.end, gravity);
      add(d.x, d.y);
    } while (path.earlier());
  }
  PERTURB_HD void add(Real x, Real y) {
    low_x = x < low_x ? x : low_x;
    high_x = x > high_x ? x : high_x;
    low_y = y < low_y ? y : low_y;
    high_y = y > high_y ? y : high_y;
  }
};

template <class Real>
PERTURB_HD inline void ExactSolve<Real>::record_deviation(int i) const {
  TimedDisc<Real> middle = window.base(i);
  advance(middle, (window.from + window.until) * Real(0.5), window.physics.gravity);
  const ExactExtent<Real> extent(ExactPath<Real>(window, i), window.from, window.physics.gravity);
  const Real x =
      extent.high_x - middle.x > middle.x - extent.low_x ? extent.high_x - middle.x : middle.x - extent.low_x;
  const Real y =
      extent.high_y - middle.y > middle.y - extent.low_y ? extent.high_y - middle.y : middle.y - extent.low_y;
  atomic_max(window.arrays.control->deviation, static_cast<float>(x > y ? x : y) * 1.000001f);
}

// Step 3. Compares the paths of solved discs with those of discs in other clusters, and in none.
template <class Real>
struct ExactVerify {
  ExactWindow<Real> window;
  const int* starts;
  const int* entries;

  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->work_pending) return;
    const int count = relaxed_load(a.control->active), lane = k % window.lanes;
    for (k /= window.lanes; k < count; k += window.threads / window.lanes) {
      // An entry that was just reserved may not hold its disc yet. Verifying the old disc again does no harm.
      const int i = relaxed_load(a.active[k]);
      if (a.cluster_discs[i].unverified) verify(i, lane);
    }
  }
  // Neighbouring threads share a disc's neighbours.
  PERTURB_HD void verify(int i, int lane) const {
    const Grid<Real>& grid = window.grid;
    const ExactPath<Real> mine(window, i);
    const int root = find_set(window.arrays.links, i);
    for (int g = lane; g < grid.large_disc_count; g += window.lanes)
      if (grid.large_discs[g] != i) check_against(i, mine, root, grid.large_discs[g]);
    if (grid.is_large_disc(i)) {
      for (int j = lane; j < grid.count; j += window.lanes)
        if (j != i) check_against(i, mine, root, j);
      return;
    }
    const StepControl& control = window.arrays.control->step;
    const Cells& cells = control.cells;
    const double length = static_cast<double>(window.until) - static_cast<double>(window.from);
    const double fastest = static_cast<double>(control.fastest) * length;
    const double far = static_cast<double>(window.arrays.control->deviation);
    const double extent_of_box = static_cast<double>(grid.box.right > grid.box.top ? grid.box.right : grid.box.top);
    const double room = 2 * static_cast<double>(grid.radius) + (far > 0.5 * fastest ? far : 0.5 * fastest) +
                        search_margin<Real>(static_cast<double>(grid.radius), fastest, extent_of_box) +
                        static_cast<double>(window.fall());
    const ExactExtent<Real> extent(mine, window.from, window.physics.gravity);
    const int x0 = cell_index((static_cast<double>(extent.low_x) - room) * cells.per_x, cells.nx);
    const int x1 = cell_index((static_cast<double>(extent.high_x) + room) * cells.per_x, cells.nx);
    const int y0 = cell_index((static_cast<double>(extent.low_y) - room) * cells.per_y, cells.ny);
    const int y1 = cell_index((static_cast<double>(extent.high_y) + room) * cells.per_y, cells.ny);
    const int lines = window.lanes > 1 ? window.lanes / 2 : 1, shares = window.lanes > 1 ? 2 : 1;
    for (int cy = y0 + lane / shares; cy <= y1; cy += lines) {
      const int* row = starts + static_cast<std::ptrdiff_t>(cy) * cells.nx;
      for (int e = row[x0] + lane % shares; e < row[x1 + 1]; e += shares)
        if (entries[e] != i) check_against(i, mine, root, entries[e]);
    }
  }
  PERTURB_HD void check_against(int i, ExactPath<Real> mine, int root, int j) const {
    const ExactArrays<Real>& a = window.arrays;
    if (mine.at_base && !a.cluster_discs[j].has_collided()) return;  // straight paths have been tested
    if (find_set(a.links, j) == root) return;
    const ExactPath<Real> theirs(window, j);
    const Real reach = window.radius(i) + window.radius(j);
    do {
      ExactPath<Real> other = theirs;
      do {
        if (mine.at_base && other.at_base) continue;
        const Real end = mine.end < other.end ? mine.end : other.end;
        if (mine.piece.time > end || other.piece.time > end) continue;
        if (!(exact_pair_time(mine.piece, other.piece, reach, end, window.physics.gravity) <= end)) continue;
        window.join(i, j);
        relaxed_store(a.needs_solve[i], 1);
        relaxed_store(a.needs_solve[j], 1);
        relaxed_store(a.control->conflicts, 1);
        return;
      } while (other.earlier());
    } while (mine.earlier());
  }
};

}  // namespace perturb::particles
