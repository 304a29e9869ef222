// Discs as the loops use them, and the cells in which they search for neighbours.
//
// The step is cut into K slices of time. In the middle of slice k a disc is at x + v (k + 1/2)/K, and within the slice
// it stays within |v|/(2K) of that in each coordinate. Two discs that touch within the slice are therefore within r1 +
// r2 + vmax/K of each other in each coordinate at its middle. With cells at least that wide, they are in the same or in
// neighbouring cells. With K = 1 and slow discs this is the usual grid. With fast discs (paths much longer than the
// radius) a large K hashes the swept paths by space and time. If the cell becomes the box, it is the search of all
// pairs.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

// Discs are summed in rows of this length, so that reductions have rows to distribute.
constexpr int sum_row = 512;
inline Range2D sum_range(int discs) { return {sum_row, (discs + sum_row - 1) / sum_row}; }

// Cells of all slices: cell (i, j) of slice k has the number (k·ny + j)·nx + i.
struct Cells {
  double per_x = 1, per_y = 1;  // cells per length
  int nx = 1, ny = 1, slices = 1;
};

// Any number of threads may add.
PERTURB_HD inline void add_gains(WallGains& to, const WallGains& gains) {
  if (gains.impulse != 0) atomic_add(to.impulse, gains.impulse);
  if (gains.heat != 0) atomic_add(to.heat, gains.heat);
  if (gains.work != 0) atomic_add(to.work, gains.work);
}

// Values in the backend's memory that the loops of a step share.
struct StepControl {
  Cells cells;
  float fastest = 0;    // at least the largest |vx| or |vy| of any disc
  int pending[2] = {};  // lengths of the lists of discs that wait for the next round
  int edges = 0;        // candidates for the list of a search that makes one, which may have a smaller capacity
  int max_edges = 0;    // largest number so far
  WallGains gains;
};

// Disc data of the loops. Indices are slots: discs may be in any order, `ids` identifies them.
template <class Real>
struct Grid {
  const Disc<Real>* discs = nullptr;
  const int* ids = nullptr;
  const Kind<Real>* kinds = nullptr;  // null: all have `radius` and mass 1
  int count = 0;
  Real radius = 1;                   // of the largest disc in cells
  const int* large_discs = nullptr;  // discs too large for the cells: every disc is tested against them
  int large_disc_count = 0;
  Box<Real> box;

  PERTURB_HD Kind<Real> kind(int i) const { return kinds ? kinds[i] : Kind<Real>{radius, Real(1)}; }
  PERTURB_HD bool is_large_disc(int i) const { return kinds && kinds[i].radius > radius; }
};

// Search margin beyond reach and motion, so that rounding hides no candidate: the discriminant of a grazing pair is
// uncertain by about ε d² at a distance d, its time of contact by a share √ε.
template <class Real>
PERTURB_HD inline double search_margin(double radius, double fastest, double extent) {
  const double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  return std::sqrt(32 * epsilon) * (2 * radius + 3 * fastest) + 16 * epsilon * extent;
}

// Condition for pairs that may touch within the step: (d² - reach² - w²)² <= 4 reach² w². Returns 4 reach² with a
// margin for rounding.
template <class Real>
PERTURB_HD inline Real wide_reach2(const Grid<Real>& grid, const StepControl& control) {
  const double extent = static_cast<double>(grid.box.right > grid.box.top ? grid.box.right : grid.box.top);
  const double radius = static_cast<double>(grid.radius), fastest = static_cast<double>(control.fastest);
  const double reach = 2 * radius + search_margin<Real>(radius, fastest, extent);
  return static_cast<Real>(4.01 * reach * reach);
}

// Cells for `slices` slices, at most `max_cells` in all.
template <class Real>
PERTURB_HD inline Cells make_cells(double width, double height, double radius, double fastest, int slices,
                                   int max_cells) {
  const double extent = width > height ? width : height;
  double side = 2 * radius + fastest / slices + search_margin<Real>(radius, fastest, extent);
  const double min_side = std::sqrt(width * height * slices / max_cells);
  if (!(side > min_side)) side = min_side;
  Cells cells;
  cells.slices = slices;
  // Comparisons that a NaN fails: then there is one cell, which is always correct.
  if (width / side >= 2) cells.nx = static_cast<int>(width / side < 32768 ? width / side : 32768);
  if (height / side >= 2) cells.ny = static_cast<int>(height / side < 32768 ? height / side : 32768);
  cells.per_x = cells.nx / width;
  cells.per_y = cells.ny / height;
  return cells;
}

// Cell of a coordinate; beyond the box, the outermost one. Moving points to the edge moves none farther apart.
PERTURB_HD inline int cell_index(double scaled, int count) {
  if (!(scaled > 0)) return 0;
  return scaled < count - 1 ? static_cast<int>(scaled) : count - 1;
}

struct PlanCells {
  StepControl* control;
  double width, height, radius;
  int slices, max_cells;
  bool single;
  PERTURB_HD void operator()(int) const {
    control->cells = single ? make_cells<float>(width, height, radius, control->fastest, slices, max_cells)
                            : make_cells<double>(width, height, radius, control->fastest, slices, max_cells);
    control->pending[0] = control->pending[1] = 0;
    control->edges = 0;
  }
};

// Entry e = slice·count + disc.
template <class Real>
struct CellOfEntry {
  Grid<Real> grid;
  const StepControl* control;
  PERTURB_HD int operator()(int entry) const {
    const Cells cells = control->cells;
    const int slice = entry < grid.count ? 0 : entry / grid.count, i = entry - slice * grid.count;
    if (grid.is_large_disc(i)) return -1;
    const Disc<Real> d = grid.discs[i];
    const Real middle = (static_cast<Real>(slice) + Real(0.5)) / static_cast<Real>(cells.slices);
    const int cx = cell_index((d.x + d.vx * middle) * static_cast<Real>(cells.per_x), cells.nx);
    const int cy = cell_index((d.y + d.vy * middle) * static_cast<Real>(cells.per_y), cells.ny);
    return (slice * cells.ny + cy) * cells.nx + cx;
  }
};

}  // namespace perturb::particles
