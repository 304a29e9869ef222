// Sums over all discs.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/range.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/view/paint.h"

namespace perturb::particles {

// Discs are summed in rows of this length, so that reductions have rows to distribute.
constexpr int sum_row = 512;
inline Range2D sum_range(int discs) { return {sum_row, (discs + sum_row - 1) / sum_row}; }

// In units of a step. Small: a CUDA block merges 256 of them in its shared memory.
struct DiscSums {
  double energy = 0, momentum_x = 0, momentum_y = 0;
  double area = 0;                   // covered by discs
  double fastest2 = 0;               // the largest v²
  float low = 3e38f, high = -3e38f;  // of the shown quantity
  std::int64_t wall_collisions = 0, disc_collisions = 0;
  std::int64_t first_bad = INT64_MAX;  // the id of a disc whose numbers are not finite
  std::int64_t impulse = 0;
  int slices = 0, cells = 0;
  PERTURB_HD void merge(const DiscSums& o) {
    energy += o.energy, momentum_x += o.momentum_x, momentum_y += o.momentum_y, area += o.area;
    fastest2 = o.fastest2 > fastest2 ? o.fastest2 : fastest2;
    low = o.low < low ? o.low : low, high = o.high > high ? o.high : high;
    wall_collisions += o.wall_collisions, disc_collisions += o.disc_collisions;
    first_bad = o.first_bad < first_bad ? o.first_bad : first_bad;
    impulse += o.impulse;
    slices += o.slices, cells += o.cells;
  }
};

template <class Real>
struct DiscSum {
  DiscValue<Real> value;
  const StepControl* control;
  PERTURB_HD void operator()(int column, int row, DiscSums& sums) const {
    const int i = row * sum_row + column;
    if (i == 0) {
      sums.impulse += control->impulse;
      sums.slices += control->cells.slices, sums.cells += control->cells.nx * control->cells.ny;
    }
    if (i >= value.grid.count) return;
    const Disc<Real> d = value.grid.discs[i];
    const DiscKind<Real> kind = value.grid.kind(i);
    const double vx = d.vx, vy = d.vy, mass = kind.mass, v2 = vx * vx + vy * vy;
    const double all = static_cast<double>(d.x) + static_cast<double>(d.y) + v2;
    if (!(all - all == 0)) {
      if (value.grid.ids[i] < sums.first_bad) sums.first_bad = value.grid.ids[i];
      return;
    }
    sums.energy += 0.5 * mass * v2, sums.momentum_x += mass * vx, sums.momentum_y += mass * vy;
    sums.area += 3.14159265358979323846 * static_cast<double>(kind.radius) * static_cast<double>(kind.radius);
    if (v2 > sums.fastest2) sums.fastest2 = v2;
    sums.wall_collisions += value.wall_collisions[i], sums.disc_collisions += value.disc_collisions[i];
    const float shown = value(i);
    if (shown < sums.low) sums.low = shown;
    if (shown > sums.high) sums.high = shown;
  }
};

// Speed histogram of the discs of mass 1: bin k counts speeds from k to k+1 bin widths, the last one all beyond.
constexpr int speed_bins = 48;
template <class Real>
struct CountSpeeds {
  DiscGrid<Real> grid;
  double bins_per_speed;  // speeds in lengths per step
  int* bins;
  PERTURB_HD void operator()(int i) const {
    if (grid.kind(i).mass != Real(1)) return;
    const double vx = grid.discs[i].vx, vy = grid.discs[i].vy;
    atomic_add(bins[cell_index(std::sqrt(vx * vx + vy * vy) * bins_per_speed, speed_bins)], 1);
  }
};

}  // namespace perturb::particles
