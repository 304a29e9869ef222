// Collisions of a step by the rule `one`, as parallel loops:
//   1. find     the first collisions that a disc may have, searched in the cells or in a list of pairs
//   2. decide   the sequential filter of model/cell.h, in rounds
//   3. settle   each disc moves on, after its collision with a partner or a wall
//
// A disc keeps its two least candidates. If it loses its partner, the next one is usually available; it searches its
// neighbourhood again only when both are gone. So memory is linear in the number of discs, nothing can overflow, and no
// result depends on the order in which threads run.
#pragma once

#include <cstdint>

#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

// The two least candidates of a disc so far, and whether it may have more. Candidates later than `until` have not all
// been searched.
template <class Real>
struct LeastCandidates {
  Real time = 2, next_time = 2, until = 2;
  int partner = no_partner, next = no_partner;
  bool more = false;
};

// Claim of a disc, in one word that threads may read while another writes it: its partner, and whether it is taken. It
// is negative for a disc that has not searched yet.
using Claim = int;
constexpr Claim unknown_claim = -1;
constexpr int claim_mask = (1 << 28) - 1, taken_bit = 1 << 30, more_bit = 1 << 29;
static_assert(no_partner + 2 >= 0 && wall_partner + 2 >= 0, "partners' codes begin at -2");
PERTURB_HD inline Claim claim_of(int partner) { return partner + 2; }
PERTURB_HD inline int partner_of(Claim claim) { return (claim & claim_mask) - 2; }
PERTURB_HD inline bool is_taken(Claim claim) { return claim >= taken_bit; }

// Candidate of a search that makes a list of pairs, linked into the lists of its two discs: `next[0]` is the link after
// it in p's list. A link is twice the number of an edge, plus one for the list of its q; negative at the end.
template <class Real>
struct Edge {
  Real time;
  int p, q;
  int next[2];
};
template <class Real>
struct EdgeLists {
  Edge<Real>* edges = nullptr;  // null: neighbours come from the cells
  int* heads = nullptr;
  int capacity = 0;  // with more than this in control->edges the list is incomplete
};

template <class Real, bool contract>
struct FindLeast {
  Grid<Real> grid;
  const StepControl* control;
  const int* starts;
  const int* entries;
  Claim* claims;
  Claim* others;  // the next candidate, and whether there are more (more_bit)
  EdgeLists<Real> lists;

  PERTURB_HD void operator()(int i) const {
    LeastCandidates<Real> least;
    search<false>(i, 0, 1, least);
    keep(i, least);
  }
  PERTURB_HD void keep(int i, const LeastCandidates<Real>& least) const {
    // A candidate later than the time up to which all are known need not be the next one.
    const bool known = least.next_time < least.until;
    const bool more = least.more || (least.next != no_partner && !known);
    others[i] = claim_of(known ? least.next : no_partner) | (more ? more_bit : 0);
    relaxed_store(claims[i], claim_of(least.partner));
  }

  // Searches part `part` of `parts` of disc i's candidates; with `again`, only those with discs that are not taken.
  template <bool again>
  PERTURB_HD void search(int i, int part, int parts, LeastCandidates<Real>& least) const {
    const Disc<Real> self = grid.discs[i];
    const Real radius = grid.kinds ? grid.kinds[i].radius : grid.radius;
    if (part == 0) {
      const WallHit<Real> hit = wall_hit(self, radius, grid.box);
      if (hit.time <= Real(1)) {
        least.time = hit.time;
        least.partner = wall_partner;
      }
    }
    if (listed()) {
      if (part == 0) walk<again>(i, least);
      return;
    }
    if (lists.edges || grid.is_large_disc(i)) {
      for (int j = part; j < grid.count; j += parts) consider<again>(i, j, self, radius, least);
      return;
    }
    for (int g = part; g < grid.large_disc_count; g += parts)
      consider<again>(i, grid.large_discs[g], self, radius, least);
    const Cells cells = control->cells;
    const Real per_x = static_cast<Real>(cells.per_x), per_y = static_cast<Real>(cells.per_y);
    const Real per_slice = Real(1) / static_cast<Real>(cells.slices);
    // A unit of work is a row of three cells in a slice; their entries are stored one after the other.
    for (int unit = part; unit < 3 * cells.slices; unit += parts) {
      const int slice = unit / 3, row = unit - 3 * slice - 1;
      // Later slices have only later candidates (with a margin of one slice for rounding).
      const Real earliest = static_cast<Real>(slice - 1) * per_slice;
      if (least.time < earliest) {
        least.until = earliest;
        least.more = true;
        break;
      }
      const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
      const int cx = cell_index((self.x + self.vx * middle) * per_x, cells.nx);
      const int cy = cell_index((self.y + self.vy * middle) * per_y, cells.ny) + row;
      if (cy < 0 || cy >= cells.ny) continue;
      const int base = (slice * cells.ny + cy) * cells.nx;
      const int from = starts[base + (cx > 0 ? cx - 1 : 0)];
      const int to = starts[base + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      const int shift = slice * grid.count;
      for (int e = from; e < to; ++e) consider<again>(i, entries[e] - shift, self, radius, least);
    }
  }

  // Whether candidates are in lists. An incomplete list is not used.
  PERTURB_HD bool listed() const { return lists.edges && control->edges <= lists.capacity; }
  template <bool again>
  PERTURB_HD void walk(int i, LeastCandidates<Real>& least) const {
    for (int link = lists.heads[i]; link >= 0;) {
      const Edge<Real>& edge = lists.edges[link >> 1];
      insert<again>(i, (link & 1) ? edge.p : edge.q, edge.time, least);
      link = edge.next[link & 1];
    }
  }

  template <bool again>
  PERTURB_HD void consider(int i, int j, const Disc<Real>& self, Real radius, LeastCandidates<Real>& least) const {
    if (j == i) return;
    const Real other_radius = grid.kinds ? grid.kinds[j].radius : grid.radius;
    const Real time = pair_time<contract>(self, grid.discs[j], radius + other_radius);
    if (time <= Real(1)) insert<again>(i, j, time, least);
  }

  // Takes disc i's candidate with j, at `time`, into account.
  template <bool again>
  PERTURB_HD void insert(int i, int j, Real time, LeastCandidates<Real>& least) const {
    if (j == least.partner || j == least.next) return;  // fast discs are neighbours in several slices
    if (again && is_taken(relaxed_load(claims[j]))) return;
    put(i, j, time, least);
  }
  PERTURB_HD void put(int i, int j, Real time, LeastCandidates<Real>& least) const {
    if (!before(i, time, j, least.next_time, least.next)) {
      least.more = true;
      return;
    }
    least.more = least.more || least.next != no_partner;
    if (before(i, time, j, least.time, least.partner)) {
      least.next_time = least.time;
      least.next = least.partner;
      least.time = time;
      least.partner = j;
    } else {
      least.next_time = time;
      least.next = j;
    }
  }

  PERTURB_HD bool before(int i, Real time, int j, Real other_time, int other) const {
    return time < other_time || (time == other_time && wins_tie(i, j, other));
  }
  // Whether, at equal times, disc i's candidate with `j` comes before the one with `other`.
  PERTURB_HD bool wins_tie(int i, int j, int other) const {
    if (other == no_partner) return true;
    const int id = grid.ids[i];
    int p = id, q = -1, other_p = id, other_q = -1;
    if (j >= 0) {
      p = id < grid.ids[j] ? id : grid.ids[j];
      q = id < grid.ids[j] ? grid.ids[j] : id;
    }
    if (other >= 0) {
      other_p = id < grid.ids[other] ? id : grid.ids[other];
      other_q = id < grid.ids[other] ? grid.ids[other] : id;
    }
    return earlier_by_id(p, q, other_p, other_q);
  }
  // Merges the result of another part of the same search.
  PERTURB_HD void merge(int i, LeastCandidates<Real>& into, const LeastCandidates<Real>& other) const {
    into.more = into.more || other.more;
    if (other.until < into.until) into.until = other.until;
    if (other.partner != no_partner && other.partner != into.partner && other.partner != into.next)
      put(i, other.partner, other.time, into);
    if (other.next != no_partner && other.next != into.partner && other.next != into.next)
      put(i, other.next, other.next_time, into);
  }
};

// Copies discs to their positions in the order of the cells.
template <class Real>
struct CopySorted {
  const Disc<Real>* discs;
  Disc<Real>* sorted;
  PERTURB_HD void operator()(int i, int place) const { sorted[place] = discs[i]; }
};

// One slice, equal discs, and a copy of them in the order of the cells: neighbours are stored one after the other.
template <class Real, bool contract>
struct FindLeastSorted {
  FindLeast<Real, contract> find;
  const Disc<Real>* sorted;

  PERTURB_HD void operator()(int e) const {
    const Grid<Real>& grid = find.grid;
    const Cells cells = find.control->cells;
    const int i = find.entries[e];
    const Disc<Real> self = sorted[e];
    LeastCandidates<Real> least;
    const WallHit<Real> hit = wall_hit(self, grid.radius, grid.box);
    if (hit.time <= Real(1)) {
      least.time = hit.time;
      least.partner = wall_partner;
    }
    const Real reach = grid.radius + grid.radius, wide2 = wide_reach2(grid, *find.control);
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    for (int row = cy > 0 ? cy - 1 : 0; row <= cy + 1 && row < cells.ny; ++row) {
      const int from = find.starts[row * cells.nx + (cx > 0 ? cx - 1 : 0)];
      const int to = find.starts[row * cells.nx + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      for (int k = from; k < to; ++k) {
        const Disc<Real> other = sorted[k];
        const Real dx = other.x - self.x, dy = other.y - self.y, wx = other.vx - self.vx, wy = other.vy - self.vy;
        // Discs that touch within the step are no farther apart than they can travel in it, |d| <= reach + |w|, and do
        // not move apart. (Written as in pair_time, because its roundings decide.)
        const Real w2 = product_sum<contract>(wx, wx, wy * wy);
        const Real beyond = product_sum<contract>(dx, dx, product_sum<contract>(dy, dy, -(reach * reach))) - w2;
        if (beyond > Real(0) && beyond * beyond > wide2 * w2) continue;
        const Real time = pair_time<contract>(self, other, reach);
        if (time > Real(1) || k == e) continue;
        find.put(i, find.entries[k], time, least);
      }
    }
    find.keep(i, least);
  }
};

// ---- decide
//
// In the order of all candidates, the filter takes one if both its discs are free. Rounds give the same set. In a round
// every free disc knows its least candidate with free discs. A candidate that is the least of both its discs is taken.
// (The sequential filter takes it too: every candidate before it touches neither disc, or has been dropped.) Candidates
// of a taken disc are dropped, and the discs that lost their partner search for their next one. The least candidate of
// all is taken in every round, so the rounds end, after a few in practice.
//
// The rounds need no barriers. A disc's claim is one word: its least candidate and whether it is taken. Two claims that
// name each other are taken as soon as a thread sees them: neither changes any more, because a claim is dropped only
// when its partner is taken by another. So threads may read claims while others decide, and the result is the same.

enum class Decision { decided, waiting, must_search };

// Follows disc i's claim, with `tries` checks of its partner, which may be deciding at the same time.
template <class Real, bool contract>
PERTURB_HD inline Decision decide(const FindLeast<Real, contract>& find, int i, int tries) {
  Claim mine = relaxed_load(find.claims[i]);
  if (is_taken(mine)) return Decision::decided;
  for (; tries > 0; --tries) {
    const int partner = partner_of(mine);
    if (partner == no_partner) return Decision::decided;
    const Claim theirs = partner == wall_partner ? claim_of(i) : relaxed_load(find.claims[partner]);
    if (theirs >= 0 && partner_of(theirs) == i) {
      relaxed_store(find.claims[i], mine | taken_bit);
      return Decision::decided;
    }
    if (!is_taken(theirs)) continue;
    const Claim other = find.others[i];
    if (partner_of(other) == no_partner && (other & more_bit) != 0) {
      if (!find.listed()) return Decision::must_search;
      LeastCandidates<Real> least;
      find.template walk<true>(i, least);
      const WallHit<Real> hit = wall_hit(find.grid.discs[i], find.grid.kind(i).radius, find.grid.box);
      if (hit.time <= Real(1)) find.put(i, wall_partner, hit.time, least);
      find.keep(i, least);
      mine = claim_of(least.partner);
      continue;
    }
    mine = claim_of(partner_of(other));
    find.others[i] = claim_of(no_partner) | (other & more_bit);
    relaxed_store(find.claims[i], mine);
  }
  return partner_of(mine) == no_partner ? Decision::decided : Decision::waiting;
}

// First round, over all discs; those that must wait for others go into a list.
template <class Real, bool contract>
struct DecideFirst {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    if (decide(find, i, tries) != Decision::decided) list[reserve_slot(control->pending[0])] = i;
  }
};

// First round after a search that made a list of pairs: each disc finds its candidates in its list, publishes its
// claim, and follows it.
template <class Real, bool contract>
struct DecideListed {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    const Grid<Real>& grid = find.grid;
    if (find.listed()) {
      const Real radius = grid.kind(i).radius;
      LeastCandidates<Real> least;
      if (comes_near_wall(grid.discs[i], radius, grid.box)) {
        const WallHit<Real> hit = wall_hit(grid.discs[i], radius, grid.box);
        if (hit.time <= Real(1)) {
          least.time = hit.time;
          least.partner = wall_partner;
        }
      }
      find.template walk<false>(i, least);
      if (least.partner == no_partner) {  // true for most discs of a thin gas
        relaxed_store(find.claims[i], claim_of(no_partner));
        return;
      }
      find.keep(i, least);
    } else {
      find(i);
    }
    if (decide(find, i, tries) != Decision::decided) list[reserve_slot(control->pending[0])] = i;
  }
};

// Lists of the waiting discs of a round. `from` and `to` select the lengths in the control block.
struct WaitingLists {
  const int* list;
  int* next;
  StepControl* control;
  int from, to;
};

// Later round; `threads` threads share the work.
template <class Real, bool contract>
struct DecideAgain {
  FindLeast<Real, contract> find;
  WaitingLists waiting;
  int threads, tries;
  PERTURB_HD void operator()(int k) const {
    const int count = waiting.control->pending[waiting.from];
    for (; k < count; k += threads) {
      const int i = waiting.list[k];
      Decision decision = decide(find, i, tries);
      if (decision == Decision::must_search) {
        LeastCandidates<Real> least;
        find.template search<true>(i, 0, 1, least);
        find.keep(i, least);
        decision = decide(find, i, tries);
      }
      if (decision != Decision::decided) waiting.next[reserve_slot(waiting.control->pending[waiting.to])] = i;
    }
  }
};

// ---- settle
//
// Also the largest speed, which the width of cells depends on.

// Moves the discs by one step with the collisions in `claims`; counts these, and the momentum given to walls.
template <class Real, bool contract>
struct SettleDiscs {
  Grid<Real> grid;
  const Claim* claims;
  Disc<Real>* next;
  std::uint32_t* wall_collisions;
  std::uint32_t* disc_collisions;
  StepControl* control;
  WallUnits units;
  PERTURB_HD void operator()(int i) const {
    const Claim claim = claims[i];
    if (is_taken(claim))
      collide(i, partner_of(claim));
    else
      move(i);
  }
  PERTURB_HD void move(int i) const { next[i] = settle_free<contract>(grid.discs[i]); }
  PERTURB_HD void collide(int i, int partner) const {
    const Disc<Real> self = grid.discs[i];
    const Kind<Real> kind = grid.kind(i);
    Disc<Real> after;
    if (partner == wall_partner) {
      WallExchange<Real> exchange;
      after =
          settle_wall<contract>(self, kind.radius, grid.box, wall_hit(self, kind.radius, grid.box), exchange.momentum);
      ++wall_collisions[i];
      exchange.work = kinetic_energy(after) - kinetic_energy(self);  // of walls at rest exactly 0
      WallGains gains;
      add_exchange(gains, exchange, kind.mass, units);
      add_gains(control->gains, gains);
    } else {
      after = settle_pair<contract>(self, grid.discs[partner], kind, grid.kind(partner), grid.box);
      ++disc_collisions[i];
    }
    next[i] = after;
    raise(after);
  }
  PERTURB_HD void raise(const Disc<Real>& d) const {
    const Real ax = d.vx < Real(0) ? -d.vx : d.vx, ay = d.vy < Real(0) ? -d.vy : d.vy;
    atomic_max(control->fastest, static_cast<float>(ax > ay ? ax : ay) * 1.000001f);
  }
};

// The same in the paper's two kernels: one over the collisions, which settles both their discs, ...
struct SettledCollision {
  int p = 0, q = 0;  // slots; q < 0: a wall
};
template <class Real, bool contract>
struct SettleCollisions {
  SettleDiscs<Real, contract> settle;
  const SettledCollision* collisions;
  PERTURB_HD void operator()(int k) const {
    const SettledCollision collision = collisions[k];
    settle.collide(collision.p, collision.q < 0 ? wall_partner : collision.q);
    if (collision.q >= 0) settle.collide(collision.q, collision.p);
  }
};
// ... and one over all discs, which moves those that do not collide and clears the marks.
template <class Real, bool contract>
struct UpdateDiscs {
  SettleDiscs<Real, contract> settle;
  Claim* claims;
  PERTURB_HD void operator()(int i) const {
    if (is_taken(claims[i]))
      claims[i] = claim_of(no_partner);
    else
      settle.move(i);
  }
};

// Updates the maximum of the control block with the largest velocity component of all discs.
template <class Real>
struct RaiseFastest {
  const Disc<Real>* discs;
  StepControl* control;
  PERTURB_HD void operator()(int i) const {
    const Real vx = discs[i].vx, vy = discs[i].vy;
    const Real ax = vx < Real(0) ? -vx : vx, ay = vy < Real(0) ? -vy : vy;
    atomic_max(control->fastest, static_cast<float>(ax > ay ? ax : ay) * 1.000001f);
  }
};
struct ForgetFastest {
  StepControl* control;
  PERTURB_HD void operator()(int) const { control->fastest = 0; }
};

}  // namespace perturb::particles
