// A step of the discs as parallel loops: sort into cells, find, take by rounds, settle.
//
// The filter of particles_cell.h is sequential: in the order of all candidates, take one if both its discs are free.
// The same set comes out by rounds. In a round every free disc knows its least candidate with free discs; one that is
// the least of both its discs is taken. (The sequential filter takes it too: whatever comes before it touches neither
// disc, or has been dropped.) Candidates of a taken disc are dropped, and the discs that lost their partner look for
// their next one. The least candidate of all is taken in every round, so the rounds end, after a few in practice.
//
// A disc keeps its two least candidates: one that lost its partner mostly has its next one at hand, and searches its
// neighbourhood again only when both are gone. So memory is linear in the number of discs, there is nothing to
// overflow, and no result depends on the order in which threads run.
//
// The rounds need no barriers. A disc's claim is one word: its least candidate and whether it is taken. Two
// claims that name each other are taken whenever that is seen: neither changes any more, for a claim is given
// up only when its partner is taken by another. So threads may read claims while others move on (decide), and
// what comes out is the same.
//
// How neighbours are found. The step is cut into K slices of time. In the middle of slice k a disc lies at x + v (k +
// 1/2)/K, and within the slice it stays within |v|/(2K) of that in each coordinate. Two discs that touch within the
// slice hence lie within r1 + r2 + vmax/K of each other in each coordinate at its middle: with cells at least that
// wide, in the same or in neighbouring cells. With K = 1 and slow discs this is the usual grid; with fast ones (paths
// much longer than the radius) a large K hashes the swept paths by space and time; and where the cell becomes the box
// it is the search of all pairs.
#pragma once

#include <cstdint>
#include <limits>

#include "cuda/core/atomic.h"
#include "cuda/core/parallel_for.h"
#include "cuda/particles/particles_cell.h"

namespace perturb {

// Cells of all slices: cell (i, j) of slice k has the number (k·ny + j)·nx + i.
struct DiscCells {
  double per_x = 1, per_y = 1;  // cells a length
  int nx = 1, ny = 1, slices = 1;
};

// What a step's loops share in the backend's memory.
struct StepControl {
  DiscCells cells;
  float fastest = 0;         // at least the largest |vx| or |vy| of any disc
  int pending[2] = {};       // lengths of the lists of discs that wait for the next round
  int edges = 0;             // candidates for the list of a search that makes one, which may hold fewer
  int most_edges = 0;        // the most there were
  std::int64_t impulse = 0;  // what walls gave, in impulse units
};

// What loops see of the discs. Indices are slots: discs may lie in any order, `ids` tells who they are.
template <class Real>
struct DiscWorld {
  const Disc<Real>* discs = nullptr;
  const int* ids = nullptr;
  const DiscKind<Real>* kinds = nullptr;  // null: all have `radius` and mass 1
  int count = 0;
  Real radius = 1;              // of the largest disc in cells
  const int* giants = nullptr;  // discs too large for the cells: everybody looks at them
  int giant_count = 0;
  DiscBox<Real> box;

  PERTURB_HD DiscKind<Real> kind(int i) const { return kinds ? kinds[i] : DiscKind<Real>{radius, Real(1)}; }
  PERTURB_HD bool is_giant(int i) const { return kinds && kinds[i].radius > radius; }
};

// How far beyond reach and motion the search must look, so that rounding hides no candidate: a grazing pair's
// discriminant is uncertain by some ε d² at a distance d, its time of contact by a share √ε.
template <class Real>
PERTURB_HD inline double search_margin(double radius, double fastest, double extent) {
  const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  return std::sqrt(32 * epsilon) * (2 * radius + 3 * fastest) + 16 * epsilon * extent;
}

// Of pairs that may meet within the step: (d² - reach² - w²)² <= 4 reach² w², this being 4
// reach² with room for rounding.
template <class Real>
PERTURB_HD inline Real wide_reach2(const DiscWorld<Real>& world, const StepControl& control) {
  const double extent = static_cast<double>(world.box.right > world.box.top ? world.box.right : world.box.top);
  const double radius = static_cast<double>(world.radius), fastest = static_cast<double>(control.fastest);
  const double reach = 2 * radius + search_margin<Real>(radius, fastest, extent);
  return static_cast<Real>(4.01 * reach * reach);
}

// The cells for `slices` slices, at most `most_cells` in all.
template <class Real>
PERTURB_HD inline DiscCells make_cells(double width, double height, double radius, double fastest, int slices,
                                       int most_cells) {
  const double extent = width > height ? width : height;
  double side = 2 * radius + fastest / slices + search_margin<Real>(radius, fastest, extent);
  const double least = std::sqrt(width * height * slices / most_cells);
  if (!(side > least)) side = least;
  DiscCells cells;
  cells.slices = slices;
  // Comparisons that a NaN fails: then there is one cell, which is always right.
  if (width / side >= 2) cells.nx = static_cast<int>(width / side < 32768 ? width / side : 32768);
  if (height / side >= 2) cells.ny = static_cast<int>(height / side < 32768 ? height / side : 32768);
  cells.per_x = cells.nx / width, cells.per_y = cells.ny / height;
  return cells;
}

// Which cell a coordinate lies in; beyond the box, the outermost one: moving points to the rim
// brings none further apart.
PERTURB_HD inline int cell_index(double scaled, int count) {
  if (!(scaled > 0)) return 0;
  return scaled < count - 1 ? static_cast<int>(scaled) : count - 1;
}

struct PlanCells {
  StepControl* control;
  double width, height, radius;
  int slices, most_cells;
  bool single;
  PERTURB_HD void operator()(int) const {
    control->cells = single ? make_cells<float>(width, height, radius, control->fastest, slices, most_cells)
                            : make_cells<double>(width, height, radius, control->fastest, slices, most_cells);
    control->pending[0] = control->pending[1] = 0;
    control->edges = 0;
  }
};

// Entry e = slice·count + disc.
template <class Real>
struct CellOfEntry {
  DiscWorld<Real> world;
  const StepControl* control;
  PERTURB_HD int operator()(int entry) const {
    const DiscCells cells = control->cells;
    const int slice = entry < world.count ? 0 : entry / world.count, i = entry - slice * world.count;
    if (world.is_giant(i)) return -1;
    const Disc<Real> d = world.discs[i];
    const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
    const int cx = cell_index((d.x + d.vx * middle) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((d.y + d.vy * middle) * static_cast<Real>(cells.per_y), cells.ny);
    return (slice * cells.ny + cy) * cells.nx + cx;
  }
};

// A disc's two least candidates so far, and whether it may have more than these. Candidates later than `until` have
// not all been looked for.
template <class Real>
struct LeastCandidates {
  Real time = 2, next_time = 2, until = 2;
  int partner = no_partner, next = no_partner;
  bool more = false;
};

// What a disc claims, in one word that threads may read while another writes it: its partner, and whether it is taken.
// Of a disc that has not looked yet it is negative.
using Claim = int;
constexpr Claim unknown_claim = -1;
constexpr int claim_mask = (1 << 28) - 1, taken_bit = 1 << 30, more_bit = 1 << 29;
static_assert(no_partner + 2 >= 0 && wall_partner + 2 >= 0, "partners' codes begin at -2");
PERTURB_HD inline Claim claim_of(int partner) { return partner + 2; }
PERTURB_HD inline int partner_of(Claim claim) { return (claim & claim_mask) - 2; }
PERTURB_HD inline bool is_taken(Claim claim) { return claim >= taken_bit; }

// A candidate of a search that makes a list of pairs, linked into the lists of its two discs: `next[0]` is the link
// after it in p's list. A link is twice an edge's number, plus one for the list of its q; negative at the end.
template <class Real>
struct DiscEdge {
  Real time;
  int p, q;
  int next[2];
};
template <class Real>
struct EdgeLists {
  DiscEdge<Real>* edges = nullptr;  // null: neighbours come from the cells
  int* heads = nullptr;
  int capacity = 0;  // with more than this in control->edges the list is not whole
};

template <class Real, bool contract>
struct FindLeast {
  DiscWorld<Real> world;
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
    // What was found by chance beyond the time up to which all are known need not be the next one.
    const bool known = least.next_time < least.until;
    const bool more = least.more || (least.next != no_partner && !known);
    others[i] = claim_of(known ? least.next : no_partner) | (more ? more_bit : 0);
    relaxed_store(claims[i], claim_of(least.partner));
  }

  // Disc i's candidates, those of share `part` of `parts`; with `again`, only those with discs that are not taken.
  template <bool again>
  PERTURB_HD void search(int i, int part, int parts, LeastCandidates<Real>& least) const {
    const Disc<Real> self = world.discs[i];
    const Real radius = world.kinds ? world.kinds[i].radius : world.radius;
    if (part == 0) {
      const WallHit<Real> hit = wall_hit(self, radius, world.box);
      if (hit.time <= Real(1)) least.time = hit.time, least.partner = wall_partner;
    }
    if (listed()) {
      if (part == 0) walk<again>(i, least);
      return;
    }
    if (lists.edges || world.is_giant(i)) {
      for (int j = part; j < world.count; j += parts) consider<again>(i, j, self, radius, least);
      return;
    }
    for (int g = part; g < world.giant_count; g += parts) consider<again>(i, world.giants[g], self, radius, least);
    const DiscCells cells = control->cells;
    const Real per_x = static_cast<Real>(cells.per_x), per_y = static_cast<Real>(cells.per_y);
    const Real per_slice = Real(1) / static_cast<Real>(cells.slices);
    // A unit of work is a row of three cells in a slice; their entries lie one after the other.
    for (int unit = part; unit < 3 * cells.slices; unit += parts) {
      const int slice = unit / 3, row = unit - 3 * slice - 1;
      // Later slices hold only later candidates (one slice of room, for rounding).
      const Real earliest = static_cast<Real>(slice - 1) * per_slice;
      if (least.time < earliest) {
        least.until = earliest, least.more = true;
        break;
      }
      const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
      const int cx = cell_index((self.x + self.vx * middle) * per_x, cells.nx);
      const int cy = cell_index((self.y + self.vy * middle) * per_y, cells.ny) + row;
      if (cy < 0 || cy >= cells.ny) continue;
      const int base = (slice * cells.ny + cy) * cells.nx;
      const int from = starts[base + (cx > 0 ? cx - 1 : 0)];
      const int to = starts[base + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      const int shift = slice * world.count;
      for (int e = from; e < to; ++e) consider<again>(i, entries[e] - shift, self, radius, least);
    }
  }

  // Whether candidates are in lists. One that was too short for all of them tells nothing.
  PERTURB_HD bool listed() const { return lists.edges && control->edges <= lists.capacity; }
  template <bool again>
  PERTURB_HD void walk(int i, LeastCandidates<Real>& least) const {
    for (int link = lists.heads[i]; link >= 0;) {
      const DiscEdge<Real>& edge = lists.edges[link >> 1];
      insert<again>(i, (link & 1) ? edge.p : edge.q, edge.time, least);
      link = edge.next[link & 1];
    }
  }

  template <bool again>
  PERTURB_HD void consider(int i, int j, const Disc<Real>& self, Real radius, LeastCandidates<Real>& least) const {
    if (j == i) return;
    const Real other_radius = world.kinds ? world.kinds[j].radius : world.radius;
    const Real time = pair_time<contract>(self, world.discs[j], radius + other_radius);
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
      least.next_time = least.time, least.next = least.partner;
      least.time = time, least.partner = j;
    } else {
      least.next_time = time, least.next = j;
    }
  }

  PERTURB_HD bool before(int i, Real time, int j, Real other_time, int other) const {
    return time < other_time || (time == other_time && wins_tie(i, j, other));
  }
  // At the same time: is disc i's candidate with `j` before the one with `other`?
  PERTURB_HD bool wins_tie(int i, int j, int other) const {
    if (other == no_partner) return true;
    const int id = world.ids[i];
    int p = id, q = -1, other_p = id, other_q = -1;
    if (j >= 0) p = id < world.ids[j] ? id : world.ids[j], q = id < world.ids[j] ? world.ids[j] : id;
    if (other >= 0)
      other_p = id < world.ids[other] ? id : world.ids[other], other_q = id < world.ids[other] ? world.ids[other] : id;
    return earlier_by_id(p, q, other_p, other_q);
  }
  // What another share of the same search has found.
  PERTURB_HD void merge(int i, LeastCandidates<Real>& into, const LeastCandidates<Real>& other) const {
    into.more = into.more || other.more;
    if (other.until < into.until) into.until = other.until;
    if (other.partner != no_partner && other.partner != into.partner && other.partner != into.next)
      put(i, other.partner, other.time, into);
    if (other.next != no_partner && other.next != into.partner && other.next != into.next)
      put(i, other.next, other.next_time, into);
  }
};

// One slice, discs that are all alike, and a copy of them in the order of the cells: neighbours
// lie one after the other.
template <class Real, bool contract>
struct FindLeastSorted {
  FindLeast<Real, contract> find;
  const Disc<Real>* sorted;

  PERTURB_HD void operator()(int e) const {
    const DiscWorld<Real>& world = find.world;
    const DiscCells cells = find.control->cells;
    const int i = find.entries[e];
    const Disc<Real> self = sorted[e];
    LeastCandidates<Real> least;
    const WallHit<Real> hit = wall_hit(self, world.radius, world.box);
    if (hit.time <= Real(1)) least.time = hit.time, least.partner = wall_partner;
    const Real reach = world.radius + world.radius, wide2 = wide_reach2(world, *find.control);
    const int cx = cell_index((self.x + self.vx * Real(0.5)) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((self.y + self.vy * Real(0.5)) * static_cast<Real>(cells.per_y), cells.ny);
    for (int row = cy > 0 ? cy - 1 : 0; row <= cy + 1 && row < cells.ny; ++row) {
      const int from = find.starts[row * cells.nx + (cx > 0 ? cx - 1 : 0)];
      const int to = find.starts[row * cells.nx + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      for (int k = from; k < to; ++k) {
        const Disc<Real> other = sorted[k];
        const Real dx = other.x - self.x, dy = other.y - self.y, wx = other.vx - self.vx, wy = other.vy - self.vy;
        // What meets within the step is no further away than it can come in one, |d| <= reach + |w|, and does not move
        // apart. (As pair_time writes it, for its roundings are those that count.)
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

enum class Decision { decided, waiting, must_search };

// Follows disc i's claim: `tries` looks at its partner, who may be deciding at the same time.
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
      const WallHit<Real> hit = wall_hit(find.world.discs[i], find.world.kind(i).radius, find.world.box);
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

// The first round, over all discs; those that must wait for others go into a list.
template <class Real, bool contract>
struct DecideFirst {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    if (decide(find, i, tries) != Decision::decided) list[take_place(control->pending[0])] = i;
  }
};

// The same where discs have not looked yet: each finds its candidates in its list, tells, and follows its claim.
template <class Real, bool contract>
struct DecideAnew {
  FindLeast<Real, contract> find;
  int* list;
  StepControl* control;
  int tries;
  PERTURB_HD void operator()(int i) const {
    const DiscWorld<Real>& world = find.world;
    if (find.listed()) {
      const Real radius = world.kind(i).radius;
      LeastCandidates<Real> least;
      if (comes_near_wall(world.discs[i], radius, world.box)) {
        const WallHit<Real> hit = wall_hit(world.discs[i], radius, world.box);
        if (hit.time <= Real(1)) least.time = hit.time, least.partner = wall_partner;
      }
      find.template walk<false>(i, least);
      if (least.partner == no_partner) {  // as most discs of a thin gas
        relaxed_store(find.claims[i], claim_of(no_partner));
        return;
      }
      find.keep(i, least);
    } else {
      find(i);
    }
    if (decide(find, i, tries) != Decision::decided) list[take_place(control->pending[0])] = i;
  }
};

// The lists of a round of those that wait. `from` and `to` tell which of the control block's lengths count.
struct WaitingLists {
  const int* list;
  int* next;
  StepControl* control;
  int from, to;
};

// A later round, `threads` of which share the work.
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
      if (decision != Decision::decided) waiting.next[take_place(waiting.control->pending[waiting.to])] = i;
    }
  }
};
template <class Real, bool contract>
struct SettleDiscs {
  DiscWorld<Real> world;
  const Claim* claims;
  Disc<Real>* next;
  std::uint32_t* wall_collisions;
  std::uint32_t* disc_collisions;
  StepControl* control;
  double impulse_unit;
  PERTURB_HD void operator()(int i) const {
    const Disc<Real> self = world.discs[i];
    const Claim claim = claims[i];
    if (!is_taken(claim)) {
      next[i] = settle_free<contract>(self);
      return;
    }
    const DiscKind<Real> kind = world.kind(i);
    const int partner = partner_of(claim);
    Disc<Real> after;
    if (partner == wall_partner) {
      Real momentum = 0;
      after = settle_wall<contract>(self, kind.radius, world.box, wall_hit(self, kind.radius, world.box), momentum);
      ++wall_collisions[i];
      const double units = static_cast<double>(momentum * kind.mass) / impulse_unit;
      if (units < 9e15) atomic_add(control->impulse, static_cast<std::int64_t>(units));
    } else {
      after = settle_pair<contract>(self, world.discs[partner], kind, world.kind(partner), world.box);
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

// The largest velocity component of all discs, over that of the control block.
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

// Copies discs to where they lie in the order of the cells.
template <class Real>
struct CopySorted {
  const Disc<Real>* discs;
  Disc<Real>* sorted;
  PERTURB_HD void operator()(int i, int place) const { sorted[place] = discs[i]; }
};

// Discs in the order of their cells, so that neighbours in the box are neighbours in memory. Within a cell by id, so
// that the order (and with it every sum over discs) does not depend on which thread came first.
struct OrderCell {
  const int* starts;
  int* entries;
  const int* ids;
  PERTURB_HD void operator()(int cell) const {
    const int from = starts[cell], to = starts[cell + 1];
    for (int e = from + 1; e < to; ++e) {
      const int moved = entries[e], id = ids[moved];
      int at = e;
      for (; at > from && ids[entries[at - 1]] > id; --at) entries[at] = entries[at - 1];
      entries[at] = moved;
    }
  }
};
template <class Real>
struct ReorderDiscs {
  const int* entries;
  const Disc<Real>* discs;
  const int* ids;
  const std::uint32_t* wall_collisions;
  const std::uint32_t* disc_collisions;
  Disc<Real>* to_discs;
  int* to_ids;
  std::uint32_t* to_wall_collisions;
  std::uint32_t* to_disc_collisions;
  PERTURB_HD void operator()(int k) const {
    const int from = entries[k];
    to_discs[k] = discs[from], to_ids[k] = ids[from];
    to_wall_collisions[k] = wall_collisions[from], to_disc_collisions[k] = disc_collisions[from];
  }
};

}  // namespace perturb
