// Rounds of the rule `exact`: clusters are solved, and their new paths compared with those of all others, until none
// touch. Method: model/exact.h.
#pragma once

#include "cuda/particles/model/exact.h"

namespace perturb::particles {

// Before each round except the first: removes all discs from lists.
template <class Real>
struct ExactPrepare {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (k == 0) a.control->work_pending = a.control->conflicts, a.control->conflicts = 0, a.control->roots = 0;
    const int count = a.control->active;
    for (; k < count; k += window.threads) a.heads[a.active[k]] = -1, a.cluster_discs[a.active[k]].unverified = 0;
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
    const DiscBox<Real>& box = window.grid.box;
    const bool two = second >= 0;
    const DiscKind<Real> kind = window.grid.kind(first), other_kind = window.grid.kind(two ? second : first);
    ClusterDisc<Real> one = make_cluster_disc(first), other = make_cluster_disc(two ? second : first);
    for (int collisions = 0;; ++collisions) {
      const WallHit<Real> hit = exact_wall_hit(one.now, kind.radius, box, window.until);
      const WallHit<Real> other_hit =
          two ? exact_wall_hit(other.now, other_kind.radius, box, window.until) : WallHit<Real>{};
      const Real meeting =
          two ? exact_pair_time(one.now, other.now, kind.radius + other_kind.radius, window.until) : never<Real>;
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
        one.now = exact_settle_pair(self, other.now, meeting, kind, other_kind);
        other.now = exact_settle_pair(other.now, self, meeting, other_kind, kind);
        ++one.pairs, ++other.pairs;
      } else if (second_wall) {
        hit_wall(other, other_kind, other_hit);
      } else {
        hit_wall(one, kind, hit);
      }
    }
    one.next = a.cluster_discs[first].next, a.cluster_discs[first] = one;
    if (one.has_collided()) record_deviation(first);
    if (!two) return;
    other.next = a.cluster_discs[second].next, a.cluster_discs[second] = other;
    if (other.has_collided()) record_deviation(second);
  }
  PERTURB_HD ClusterDisc<Real> make_cluster_disc(int i) const {
    ClusterDisc<Real> cluster_disc;
    cluster_disc.now = window.base(i), cluster_disc.event_time = never<Real>, cluster_disc.partner = no_partner;
    cluster_disc.prior = -1, cluster_disc.next = -1, cluster_disc.walls = cluster_disc.pairs = 0,
    cluster_disc.impulse = 0, cluster_disc.unverified = 1;
    return cluster_disc;
  }
  PERTURB_HD void hit_wall(ClusterDisc<Real>& cluster_disc, const DiscKind<Real>& kind,
                           const WallHit<Real>& hit) const {
    Real momentum = 0;
    cluster_disc.now = exact_settle_wall(cluster_disc.now, kind.radius, window.grid.box, hit, momentum);
    ++cluster_disc.walls;
    const double units = static_cast<double>(momentum * kind.mass) / window.impulse_unit;
    if (units < 9e15) cluster_disc.impulse += static_cast<std::int64_t>(units);
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
      names[n] = i, local_discs[n] = make_cluster_disc(i);
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
    if (j >= 0) p = ids[i] < ids[j] ? ids[i] : ids[j], q = ids[i] < ids[j] ? ids[j] : ids[i];
    if (l >= 0) other_p = ids[k] < ids[l] ? ids[k] : ids[l], other_q = ids[k] < ids[l] ? ids[l] : ids[k];
    return earlier_by_id(p, q, other_p, other_q);
  }
  PERTURB_HD void check_candidate(const Cluster& c, int i, int j) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    const Real reach = window.radius(c.name(i)) + window.radius(c.name(j));
    const Real time = exact_pair_time(cluster_discs[i].now, cluster_discs[j].now, reach, window.until);
    if (before(c, i, time, j, i, cluster_discs[i].event_time, cluster_discs[i].partner))
      cluster_discs[i].event_time = time, cluster_discs[i].partner = j;
  }
  // Finds disc i's next collision.
  PERTURB_HD void look(const Cluster& c, int i) const {
    ClusterDisc<Real>* cluster_discs = c.cluster_discs;
    cluster_discs[i].event_time =
        exact_wall_hit(cluster_discs[i].now, window.radius(c.name(i)), window.grid.box, window.until).time;
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
    const DiscKind<Real> kind = window.grid.kind(c.name(i));
    if (!remember(cluster_discs[i]) || (j >= 0 && !remember(cluster_discs[j]))) return false;
    if (j == wall_partner) {
      hit_wall(cluster_discs[i], kind, exact_wall_hit(cluster_discs[i].now, kind.radius, window.grid.box));
    } else {
      const DiscKind<Real> other_kind = window.grid.kind(c.name(j));
      const TimedDisc<Real> self = cluster_discs[i].now;
      cluster_discs[i].now = exact_settle_pair(self, cluster_discs[j].now, time, kind, other_kind);
      cluster_discs[j].now = exact_settle_pair(cluster_discs[j].now, self, time, other_kind, kind);
      ++cluster_discs[i].pairs, ++cluster_discs[j].pairs;
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
    piece = cluster_disc.now, prior = cluster_disc.prior, at_base = false;
  }
  // Moves to the piece before; false if there is none.
  PERTURB_HD bool earlier() {
    if (at_base) return false;
    end = piece.time;
    if (prior >= 0)
      piece = arrays.pool[prior].state, prior = arrays.pool[prior].before;
    else
      piece = base, at_base = true;
    return true;
  }
};

// Bounding box of a path.
template <class Real>
struct ExactExtent {
  Real low_x, high_x, low_y, high_y;
  PERTURB_HD ExactExtent(ExactPath<Real> path, Real from) {
    TimedDisc<Real> d = path.base;
    advance(d, from);
    low_x = high_x = d.x, low_y = high_y = d.y;
    do {
      d = path.piece;
      advance(d, path.end);
      add(d.x, d.y);
    } while (path.earlier());
  }
  PERTURB_HD void add(Real x, Real y) {
    low_x = x < low_x ? x : low_x, high_x = x > high_x ? x : high_x;
    low_y = y < low_y ? y : low_y, high_y = y > high_y ? y : high_y;
  }
};

template <class Real>
PERTURB_HD inline void ExactSolve<Real>::record_deviation(int i) const {
  TimedDisc<Real> middle = window.base(i);
  advance(middle, (window.from + window.until) * Real(0.5));
  const ExactExtent<Real> extent(ExactPath<Real>(window, i), window.from);
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
    const DiscGrid<Real>& grid = window.grid;
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
    const DiscCells& cells = control.cells;
    const double length = static_cast<double>(window.until) - static_cast<double>(window.from);
    const double fastest = static_cast<double>(control.fastest) * length;
    const double far = static_cast<double>(window.arrays.control->deviation);
    const double extent_of_box = static_cast<double>(grid.box.right > grid.box.top ? grid.box.right : grid.box.top);
    const double room = 2 * static_cast<double>(grid.radius) + (far > 0.5 * fastest ? far : 0.5 * fastest) +
                        search_margin<Real>(static_cast<double>(grid.radius), fastest, extent_of_box);
    const ExactExtent<Real> extent(mine, window.from);
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
        if (!(exact_pair_time(mine.piece, other.piece, reach, end) <= end)) continue;
        window.join(i, j);
        relaxed_store(a.needs_solve[i], 1), relaxed_store(a.needs_solve[j], 1);
        relaxed_store(a.control->conflicts, 1);
        return;
      } while (other.earlier());
    } while (mine.earlier());
  }
};

}  // namespace perturb::particles
