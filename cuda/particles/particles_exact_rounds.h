// The rounds of the rule `exact`: clusters are solved, and their new paths held against those of all others, until none
// touch. See particles_exact.h for the method.
#pragma once

#include "cuda/particles/particles_exact.h"

namespace perturb::particles {

// Before each round but the first: no disc is in a list.
template <class Real>
struct ExactPrepare {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (k == 0) a.control->at_work = a.control->conflicts, a.control->conflicts = 0, a.control->roots = 0;
    const int count = a.control->active;
    for (; k < count; k += window.threads) a.heads[a.active[k]] = -1, a.players[a.active[k]].fresh = 0;
  }
};
// The discs of each cluster, as a list of its root. Its order does not matter: clusters go by times and ids.
template <class Real>
struct ExactGather {
  ExactWindow<Real> window;
  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->at_work) return;
    const int count = a.control->active;
    for (; k < count; k += window.threads) {
      const int i = a.active[k], root = find_set(a.links, i);
      if (relaxed_load(a.dirty[i]) != 0) relaxed_store(a.dirty[root], 1);
      const int before = atomic_exchange(a.heads[root], i);
      a.players[i].next = before;
      if (before < 0) a.roots[reserve_slot(a.control->roots)] = root;
    }
  }
};

// 2. The collisions of a cluster, one after the other.
template <class Real>
struct ExactSolve {
  static constexpr int most_at_hand = 8;
  ExactWindow<Real> window;

  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->at_work) return;
    const int lanes = (window.lanes + 1) / 2;  // a cluster has work for fewer than a disc with its neighbours
    if (k % lanes != 0) return;
    const int count = a.control->roots;
    for (k /= lanes; k < count; k += window.threads / lanes)
      if (relaxed_load(a.dirty[a.roots[k]]) != 0) solve(a.heads[a.roots[k]]);
  }

  // One disc, or two, as most clusters are: everything stays in registers. `second` is -1 for one.
  PERTURB_HD void solve_few(int first, int second) const {
    const ExactArrays<Real>& a = window.arrays;
    const DiscBox<Real>& box = window.world.box;
    const bool two = second >= 0;
    const DiscKind<Real> kind = window.world.kind(first), other_kind = window.world.kind(two ? second : first);
    ExactPlayer<Real> one = fresh_player(first), other = fresh_player(two ? second : first);
    for (int collisions = 0;; ++collisions) {
      const WallHit<Real> hit = exact_wall_hit(one.now, kind.radius, box, window.until);
      const WallHit<Real> other_hit =
          two ? exact_wall_hit(other.now, other_kind.radius, box, window.until) : WallHit<Real>{};
      const Real meeting =
          two ? exact_pair_time(one.now, other.now, kind.radius + other_kind.radius, window.until) : never<Real>;
      // Of the two walls the first, then that beside the pair.
      const bool second_wall = two && before(second, other_hit.time, wall_partner, first, hit.time, wall_partner);
      const Real wall_time = second_wall ? other_hit.time : hit.time;
      const bool pair = two && before(first, meeting, second, second_wall ? second : first, wall_time, wall_partner);
      if (!((pair ? meeting : wall_time) <= window.until)) break;
      if (!may_go_on(collisions, two ? 2 : 1)) return;
      if ((pair || !second_wall) && !remember(one)) return;
      if ((pair || second_wall) && !remember(other)) return;
      if (pair) {
        const OwnDisc<Real> self = one.now;
        one.now = exact_settle_pair(self, other.now, meeting, kind, other_kind);
        other.now = exact_settle_pair(other.now, self, meeting, other_kind, kind);
        ++one.pairs, ++other.pairs;
      } else if (second_wall) {
        hit_wall(other, other_kind, other_hit);
      } else {
        hit_wall(one, kind, hit);
      }
    }
    one.next = a.players[first].next, a.players[first] = one;
    if (one.has_collided()) tell_deviation(first);
    if (!two) return;
    other.next = a.players[second].next, a.players[second] = other;
    if (other.has_collided()) tell_deviation(second);
  }
  PERTURB_HD ExactPlayer<Real> fresh_player(int i) const {
    ExactPlayer<Real> player;
    player.now = window.base(i), player.event_time = never<Real>, player.partner = no_partner;
    player.past = -1, player.next = -1, player.walls = player.pairs = 0, player.impulse = 0, player.fresh = 1;
    return player;
  }
  PERTURB_HD void hit_wall(ExactPlayer<Real>& player, const DiscKind<Real>& kind, const WallHit<Real>& hit) const {
    Real momentum = 0;
    player.now = exact_settle_wall(player.now, kind.radius, window.world.box, hit, momentum);
    ++player.walls;
    const double units = static_cast<double>(momentum * kind.mass) / window.impulse_unit;
    if (units < 9e15) player.impulse += static_cast<std::int64_t>(units);
  }

  PERTURB_HD void solve(int first) const {
    ExactPlayer<Real>* players = window.arrays.players;
    int discs = 0, second = -1;
    for (int i = first; i >= 0; i = players[i].next) {
      window.arrays.dirty[i] = 0;
      if (++discs == 2) second = i;
    }
    if (discs <= 2) {
      solve_few(first, second);
      return;
    }
    atomic_max(window.arrays.control->largest, static_cast<float>(discs));
    if (window.most_discs > 0 && discs > window.most_discs) return;
    if (!(discs <= most_at_hand ? solve_at_hand(first, discs) : solve_in_place(first, discs))) return;
    for (int i = first; i >= 0; i = players[i].next)
      if (players[i].has_collided()) tell_deviation(i);
  }
  // Few enough for a thread's own memory, which is far nearer than the device's: what a thread does here waits for one
  // word after the other, and the rounds of a window wait for the slowest thread.
  PERTURB_HD bool solve_at_hand(int first, int discs) const {
    ExactPlayer<Real> at_hand[most_at_hand], *players = window.arrays.players;
    int names[most_at_hand];
    int n = 0;
    for (int i = first; n < discs; i = players[i].next, ++n) {
      names[n] = i, at_hand[n] = fresh_player(i);
      at_hand[n].next = n + 1 < discs ? n + 1 : -1;
    }
    if (!solve_all({at_hand, names, 0}, discs)) return false;
    for (n = 0; n < discs; ++n) {
      at_hand[n].next = n + 1 < discs ? names[n + 1] : -1;
      players[names[n]] = at_hand[n];
    }
    return true;
  }
  PERTURB_HD bool solve_in_place(int first, int discs) const {
    ExactPlayer<Real>* players = window.arrays.players;
    for (int i = first; i >= 0; i = players[i].next) {
      const int next = players[i].next;
      players[i] = fresh_player(i);
      players[i].next = next;
    }
    return solve_all({players, nullptr, first}, discs);
  }

  // A cluster's discs, where they are worked on.
  struct Cluster {
    ExactPlayer<Real>* players;
    const int* names;  // which disc each of them is; null: players[i] is disc i
    int first;
    PERTURB_HD int name(int i) const { return names ? names[i] : i; }
  };
  // False: it was given up, and the window will be tried anew.
  PERTURB_HD bool solve_all(const Cluster& c, int discs) const {
    ExactPlayer<Real>* players = c.players;
    for (int i = c.first; i >= 0; i = players[i].next) look(c, i);
    for (int collisions = 0;; ++collisions) {
      int best = c.first;
      for (int i = players[best].next; i >= 0; i = players[i].next)
        if (before(c, i, players[i].event_time, players[i].partner, best, players[best].event_time,
                   players[best].partner))
          best = i;
      if (!(players[best].event_time <= window.until)) return true;
      if (!may_go_on(collisions, discs) || !collide(c, best)) return false;
    }
  }
  PERTURB_HD bool before(const Cluster& c, int i, Real time, int j, int k, Real other_time, int l) const {
    return before(c.name(i), time, j < 0 ? j : c.name(j), c.name(k), other_time, l < 0 ? l : c.name(l));
  }

  // Whether disc i's collision with `j` comes before disc k's with `l`.
  PERTURB_HD bool before(int i, Real time, int j, int k, Real other_time, int l) const {
    if (time != other_time) return time < other_time;
    if (!(time <= Real(1))) return false;
    const int* ids = window.world.ids;
    int p = ids[i], q = -1, other_p = ids[k], other_q = -1;
    if (j >= 0) p = ids[i] < ids[j] ? ids[i] : ids[j], q = ids[i] < ids[j] ? ids[j] : ids[i];
    if (l >= 0) other_p = ids[k] < ids[l] ? ids[k] : ids[l], other_q = ids[k] < ids[l] ? ids[l] : ids[k];
    return earlier_by_id(p, q, other_p, other_q);
  }
  PERTURB_HD void consider(const Cluster& c, int i, int j) const {
    ExactPlayer<Real>* players = c.players;
    const Real reach = window.radius(c.name(i)) + window.radius(c.name(j));
    const Real time = exact_pair_time(players[i].now, players[j].now, reach, window.until);
    if (before(c, i, time, j, i, players[i].event_time, players[i].partner))
      players[i].event_time = time, players[i].partner = j;
  }
  // Disc i's next collision.
  PERTURB_HD void look(const Cluster& c, int i) const {
    ExactPlayer<Real>* players = c.players;
    players[i].event_time =
        exact_wall_hit(players[i].now, window.radius(c.name(i)), window.world.box, window.until).time;
    players[i].partner = players[i].event_time <= Real(1) ? wall_partner : no_partner;
    for (int j = c.first; j >= 0; j = players[j].next)
      if (j != i) consider(c, i, j);
  }
  PERTURB_HD bool may_go_on(int collisions, int discs) const {
    if (collisions < most_collisions_in_window(discs)) return true;
    relaxed_store(window.arrays.control->endless, 1);
    return false;
  }
  PERTURB_HD bool remember(ExactPlayer<Real>& player) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!player.has_collided()) return true;  // the state before is the window's
    const int place = reserve_slot(a.control->pooled);
    if (place >= a.pool_size) {
      relaxed_store(a.control->beyond_pool, 1);
      return false;
    }
    a.pool[place] = {player.now, player.past};
    player.past = place;
    return true;
  }
  // Disc i's next collision comes. False: there is no room to remember it.
  PERTURB_HD bool collide(const Cluster& c, int i) const {
    ExactPlayer<Real>* players = c.players;
    const Real time = players[i].event_time;
    const int j = players[i].partner;
    const DiscKind<Real> kind = window.world.kind(c.name(i));
    if (!remember(players[i]) || (j >= 0 && !remember(players[j]))) return false;
    if (j == wall_partner) {
      hit_wall(players[i], kind, exact_wall_hit(players[i].now, kind.radius, window.world.box));
    } else {
      const DiscKind<Real> other_kind = window.world.kind(c.name(j));
      const OwnDisc<Real> self = players[i].now;
      players[i].now = exact_settle_pair(self, players[j].now, time, kind, other_kind);
      players[j].now = exact_settle_pair(players[j].now, self, time, other_kind, kind);
      ++players[i].pairs, ++players[j].pairs;
    }
    for (int k = c.first; k >= 0; k = players[k].next) {
      if (k == i || k == j) continue;
      if (players[k].partner == i || (j >= 0 && players[k].partner == j)) {
        look(c, k);
        continue;
      }
      consider(c, k, i);
      if (j >= 0) consider(c, k, j);
    }
    look(c, i);
    if (j >= 0) look(c, j);
    return true;
  }
  PERTURB_HD void tell_deviation(int i) const;
};

// A disc's path through the window, a straight piece at a time, the latest first.
template <class Real>
struct ExactPath {
  const ExactArrays<Real>& arrays;
  OwnDisc<Real> base, piece;
  Real end;
  int past;
  bool at_base;
  PERTURB_HD ExactPath(const ExactWindow<Real>& window, int i)
      : arrays(window.arrays), base(window.base(i)), piece(base), end(window.until), past(-1), at_base(true) {
    const ExactPlayer<Real>& player = arrays.players[i];
    if (!player.has_collided()) return;
    piece = player.now, past = player.past, at_base = false;
  }
  // Goes on to the piece before; false where there is none.
  PERTURB_HD bool earlier() {
    if (at_base) return false;
    end = piece.time;
    if (past >= 0)
      piece = arrays.pool[past].state, past = arrays.pool[past].before;
    else
      piece = base, at_base = true;
    return true;
  }
};

// Room about a path.
template <class Real>
struct ExactExtent {
  Real low_x, high_x, low_y, high_y;
  PERTURB_HD ExactExtent(ExactPath<Real> path, Real from) {
    OwnDisc<Real> d = path.base;
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
PERTURB_HD inline void ExactSolve<Real>::tell_deviation(int i) const {
  OwnDisc<Real> middle = window.base(i);
  advance(middle, (window.from + window.until) * Real(0.5));
  const ExactExtent<Real> extent(ExactPath<Real>(window, i), window.from);
  const Real x =
      extent.high_x - middle.x > middle.x - extent.low_x ? extent.high_x - middle.x : middle.x - extent.low_x;
  const Real y =
      extent.high_y - middle.y > middle.y - extent.low_y ? extent.high_y - middle.y : middle.y - extent.low_y;
  atomic_max(window.arrays.control->deviation, static_cast<float>(x > y ? x : y) * 1.000001f);
}

// 3. The paths of solved discs against those of discs in other clusters, and in none.
template <class Real>
struct ExactVerify {
  ExactWindow<Real> window;
  const int* starts;
  const int* entries;

  PERTURB_HD void operator()(int k) const {
    const ExactArrays<Real>& a = window.arrays;
    if (!a.control->at_work) return;
    const int count = relaxed_load(a.control->active), lane = k % window.lanes;
    for (k /= window.lanes; k < count; k += window.threads / window.lanes) {
      // A place that has just been taken may not hold its disc yet: to verify again the one that is there does no harm.
      const int i = relaxed_load(a.active[k]);
      if (a.players[i].fresh) verify(i, lane);
    }
  }
  // Neighbouring threads share a disc's neighbours.
  PERTURB_HD void verify(int i, int lane) const {
    const DiscWorld<Real>& world = window.world;
    const ExactPath<Real> mine(window, i);
    const int root = find_set(window.arrays.links, i);
    for (int g = lane; g < world.giant_count; g += window.lanes)
      if (world.giants[g] != i) hold_against(i, mine, root, world.giants[g]);
    if (world.is_giant(i)) {
      for (int j = lane; j < world.count; j += window.lanes)
        if (j != i) hold_against(i, mine, root, j);
      return;
    }
    const StepControl& control = window.arrays.control->step;
    const DiscCells& cells = control.cells;
    const double length = static_cast<double>(window.until) - static_cast<double>(window.from);
    const double fastest = static_cast<double>(control.fastest) * length;
    const double far = static_cast<double>(window.arrays.control->deviation);
    const double extent_of_box = static_cast<double>(world.box.right > world.box.top ? world.box.right : world.box.top);
    const double room = 2 * static_cast<double>(world.radius) + (far > 0.5 * fastest ? far : 0.5 * fastest) +
                        search_margin<Real>(static_cast<double>(world.radius), fastest, extent_of_box);
    const ExactExtent<Real> extent(mine, window.from);
    const int x0 = cell_index((static_cast<double>(extent.low_x) - room) * cells.per_x, cells.nx);
    const int x1 = cell_index((static_cast<double>(extent.high_x) + room) * cells.per_x, cells.nx);
    const int y0 = cell_index((static_cast<double>(extent.low_y) - room) * cells.per_y, cells.ny);
    const int y1 = cell_index((static_cast<double>(extent.high_y) + room) * cells.per_y, cells.ny);
    const int lines = window.lanes > 1 ? window.lanes / 2 : 1, shares = window.lanes > 1 ? 2 : 1;
    for (int cy = y0 + lane / shares; cy <= y1; cy += lines) {
      const int* row = starts + static_cast<std::ptrdiff_t>(cy) * cells.nx;
      for (int e = row[x0] + lane % shares; e < row[x1 + 1]; e += shares)
        if (entries[e] != i) hold_against(i, mine, root, entries[e]);
    }
  }
  PERTURB_HD void hold_against(int i, ExactPath<Real> mine, int root, int j) const {
    const ExactArrays<Real>& a = window.arrays;
    if (mine.at_base && !a.players[j].has_collided()) return;  // straight paths have been looked at
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
        relaxed_store(a.dirty[i], 1), relaxed_store(a.dirty[j], 1);
        relaxed_store(a.control->conflicts, 1);
        return;
      } while (other.earlier());
    } while (mine.earlier());
  }
};

}  // namespace perturb::particles
