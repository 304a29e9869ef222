// A step of the discs as parallel loops: sort into cells, find, take by rounds, settle.
//
// The filter of particles_cell.h is sequential: in the order of all candidates, take one if both its discs are free. The same
// set comes out by rounds. In a round every free disc knows its least candidate with free discs; one that is the least of both
// its discs is taken. (The sequential filter takes it too: whatever comes before it touches neither disc, or has been dropped.)
// Candidates of a taken disc are dropped, and the discs that lost their partner look for their next one. The least candidate
// of all is taken in every round, so the rounds end, after a few in practice.
//
// No list of candidates is kept: a disc that lost its partner searches its neighbourhood again. So memory is linear in the
// number of discs, there is nothing to overflow, and no result depends on the order in which threads run.
//
// How neighbours are found. The step is cut into K slices of time. In the middle of slice k a disc lies at x + v (k + 1/2)/K,
// and within the slice it stays within |v|/(2K) of that in each coordinate. Two discs that touch within the slice hence lie
// within r1 + r2 + vmax/K of each other in each coordinate at its middle: with cells at least that wide, in the same or in
// neighbouring cells. With K = 1 and slow discs this is the usual grid; with fast ones (paths much longer than the radius) a
// large K hashes the swept paths by space and time; and where the cell becomes the box it is the search of all pairs.
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
  int pending[3] = {};       // lengths of the lists of discs that wait for the next round
  int rounds = 0;            // of the last step, beyond the first
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

// How far beyond reach and motion the search must look, so that rounding hides no candidate: a grazing pair's discriminant is
// uncertain by some ε d² at a distance d, its time of contact by a share √ε.
template <class Real>
PERTURB_HD inline double search_margin(double radius, double fastest, double extent) {
  const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  return std::sqrt(32 * epsilon) * (2 * radius + 3 * fastest) + 16 * epsilon * extent;
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

// Which cell a coordinate lies in; beyond the box, the outermost one: moving points to the rim brings none further apart.
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
    control->pending[0] = control->pending[1] = control->pending[2] = 0;
    control->rounds = 0;
  }
};

// Entry e = slice·count + disc.
template <class Real>
struct CellOfEntry {
  DiscWorld<Real> world;
  const StepControl* control;
  PERTURB_HD int operator()(int entry) const {
    const DiscCells cells = control->cells;
    const int slice = entry / world.count, i = entry - slice * world.count;
    if (world.is_giant(i)) return -1;
    const Disc<Real> d = world.discs[i];
    const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
    const int cx = cell_index((d.x + d.vx * middle) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((d.y + d.vy * middle) * static_cast<Real>(cells.per_y), cells.ny);
    return (slice * cells.ny + cy) * cells.nx + cx;
  }
};

// A disc's least candidate so far.
template <class Real>
struct LeastCandidate {
  Real time = 2;
  int partner = no_partner;
};

template <class Real, bool contract>
struct FindLeast {
  DiscWorld<Real> world;
  const StepControl* control;
  const int* starts;
  const int* entries;
  const unsigned char* taken;  // null: all discs are free
  int* best;

  PERTURB_HD void operator()(int i) const {
    LeastCandidate<Real> least;
    search(i, 0, 1, least);
    best[i] = least.partner;
  }

  // Disc i's candidates, those of share `part` of `parts`.
  PERTURB_HD void search(int i, int part, int parts, LeastCandidate<Real>& least) const {
    const Disc<Real> self = world.discs[i];
    const Real radius = world.kinds ? world.kinds[i].radius : world.radius;
    if (part == 0) {
      const WallHit<Real> hit = wall_hit(self, radius, world.box);
      if (hit.time <= Real(1)) least = {hit.time, wall_partner};
    }
    if (world.is_giant(i)) {
      for (int j = part; j < world.count; j += parts) consider(i, j, self, radius, least);
      return;
    }
    for (int g = part; g < world.giant_count; g += parts) consider(i, world.giants[g], self, radius, least);
    const DiscCells cells = control->cells;
    const Real per_x = static_cast<Real>(cells.per_x), per_y = static_cast<Real>(cells.per_y);
    const Real per_slice = Real(1) / static_cast<Real>(cells.slices);
    // A unit of work is a row of three cells in a slice; their entries lie one after the other.
    for (int unit = part; unit < 3 * cells.slices; unit += parts) {
      const int slice = unit / 3, row = unit - 3 * slice - 1;
      // Later slices hold only later candidates (one slice of room, for rounding).
      if (least.time < static_cast<Real>(slice - 1) * per_slice) break;
      const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
      const int cx = cell_index((self.x + self.vx * middle) * per_x, cells.nx);
      const int cy = cell_index((self.y + self.vy * middle) * per_y, cells.ny) + row;
      if (cy < 0 || cy >= cells.ny) continue;
      const int base = (slice * cells.ny + cy) * cells.nx;
      const int from = starts[base + (cx > 0 ? cx - 1 : 0)];
      const int to = starts[base + (cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      const int shift = slice * world.count;
      for (int e = from; e < to; ++e) consider(i, entries[e] - shift, self, radius, least);
    }
  }

  PERTURB_HD void consider(int i, int j, const Disc<Real>& self, Real radius, LeastCandidate<Real>& least) const {
    if (j == i) return;
    const Real other_radius = world.kinds ? world.kinds[j].radius : world.radius;
    const Real time = pair_time<contract>(self, world.discs[j], radius + other_radius);
    if (!(time <= least.time) || time > Real(1)) return;
    if (taken && taken[j]) return;
    if (time == least.time && !wins_tie(i, j, least.partner)) return;
    least = {time, j};
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
  PERTURB_HD void merge(int i, LeastCandidate<Real>& into, const LeastCandidate<Real>& other) const {
    if (other.partner == no_partner) return;
    if (other.time < into.time ||
        (other.time == into.time && other.partner != into.partner && wins_tie(i, other.partner, into.partner)))
      into = other;
  }
};

// Round one: every disc whose least candidate is also its partner's is taken; the others wait.
struct TakeFirst {
  const int* best;
  unsigned char* taken;
  int* list;
  StepControl* control;
  PERTURB_HD void operator()(int i) const {
    const int partner = best[i];
    const bool takes = partner == wall_partner || (partner >= 0 && best[partner] == i);
    taken[i] = takes ? 1 : 0;
    if (!takes && partner >= 0) list[take_place(control->pending[0])] = i;
  }
};

// Later rounds work on lists; `threads` of them share the work.
template <class Real, bool contract>
struct ChooseAgain {
  FindLeast<Real, contract> find;
  const int* list;
  StepControl* control;
  int from, to, threads;  // which lengths count
  PERTURB_HD void operator()(int k) const {
    if (k == 0) control->pending[to] = 0, ++control->rounds;
    const int count = control->pending[from];
    for (; k < count; k += threads) {
      const int i = list[k];
      if (find.taken[find.best[i]]) find(i);
    }
  }
};

struct TakeAgain {
  const int* best;
  unsigned char* taken;
  const int* list;
  int* next;
  StepControl* control;
  int from, to, threads;
  PERTURB_HD void operator()(int k) const {
    const int count = control->pending[from];
    for (; k < count; k += threads) {
      const int i = list[k], partner = best[i];
      if (partner == no_partner) continue;
      if (partner == wall_partner || best[partner] == i)
        taken[i] = 1;
      else
        next[take_place(control->pending[to])] = i;
    }
  }
};

template <class Real, bool contract>
struct SettleDiscs {
  DiscWorld<Real> world;
  const int* best;
  const unsigned char* taken;
  Disc<Real>* next;
  std::uint32_t* wall_collisions;
  std::uint32_t* disc_collisions;
  StepControl* control;
  double impulse_unit;
  PERTURB_HD void operator()(int i) const {
    const Disc<Real> self = world.discs[i];
    if (!taken[i]) {
      next[i] = settle_free<contract>(self);
      return;
    }
    const DiscKind<Real> kind = world.kind(i);
    const int partner = best[i];
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

// Discs in the order of their cells, so that neighbours in the box are neighbours in memory. Within a cell by id, so that the
// order (and with it every sum over discs) does not depend on which thread came first.
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
