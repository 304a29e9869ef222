// Measurements that need pairs or positions: overlaps, distances, displacement, mixing, a profile. For files under
// cuda/ only, like reduce.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/particles/measure/sums.h"
#include "cuda/particles/model/grid.h"

namespace perturb::particles {

constexpr int distance_bins = 80;        // of distances between centres, up to ...
constexpr double farthest_distance = 4;  // ... this many diameters
constexpr int profile_columns = 96;
constexpr int mixing_across = 16, mixing_cells = mixing_across * mixing_across;
constexpr int most_centres = 8192;  // discs whose neighbours' distances are counted

// Integers and sums over all discs; velocities in lengths per step.
struct DiscObserved {
  std::int64_t overlaps = 0;  // pairs whose discs overlap
  std::int64_t missed = 0;    // of these, pairs that came to overlap within the last step
  double displacement2 = 0;   // sum of the squared displacements
  double speeds = 0;          // the sum of speeds
  int centres = 0;
  PERTURB_HD void merge(const DiscObserved& o) {
    overlaps += o.overlaps, missed += o.missed, displacement2 += o.displacement2, speeds += o.speeds;
    centres += o.centres;
  }
};
struct DiscCounts {
  int distances[distance_bins];
  int columns[profile_columns];
  int in_cell[mixing_cells], from_left[mixing_cells];
};

template <class Real>
struct CellOfDisc {
  DiscGrid<Real> grid;
  DiscCells cells;
  PERTURB_HD int operator()(int i) const {
    if (grid.is_large_disc(i)) return -1;
    const int cx = cell_index(static_cast<double>(grid.discs[i].x) * cells.per_x, cells.nx);
    return cell_index(static_cast<double>(grid.discs[i].y) * cells.per_y, cells.ny) * cells.nx + cx;
  }
};

template <class Real>
struct ObserveDiscs {
  DiscGrid<Real> grid;
  const Disc<Real>* origins;  // by id: where discs came into the run
  DiscCells cells;
  const int* starts;
  const int* entries;
  double tolerance;  // smaller overlaps, in lengths, are rounding errors
  int centre_stride;
  bool profile, mixing;
  double right, width, height;
  DiscCounts* counts;

  PERTURB_HD void operator()(int column, int row, DiscObserved& sums) const {
    const int i = row * sum_row + column;
    if (i >= grid.count) return;
    const Disc<Real> d = grid.discs[i];
    const double x = d.x, y = d.y, vx = d.vx, vy = d.vy;
    if (!(x + y + vx + vy - (x + y + vx + vy) == 0)) return;
    const int id = grid.ids[i];
    const double wx = x - static_cast<double>(origins[id].x), wy = y - static_cast<double>(origins[id].y);
    sums.displacement2 += wx * wx + wy * wy;
    sums.speeds += std::sqrt(vx * vx + vy * vy);
    if (profile) atomic_add(counts->columns[cell_index(x / width * profile_columns, profile_columns)], 1);
    if (mixing) {
      const int cell = cell_index(y / height * mixing_across, mixing_across) * mixing_across +
                       cell_index(x / width * mixing_across, mixing_across);
      atomic_add(counts->in_cell[cell], 1);
      if (static_cast<double>(origins[id].x) < 0.5 * width) atomic_add(counts->from_left[cell], 1);
    }
    if (grid.is_large_disc(i)) {
      for (int j = 0; j < grid.count; ++j)
        if (j != i && (!grid.is_large_disc(j) || j > i)) look(i, j, sums);
      return;
    }
    const int cx = cell_index(x * cells.per_x, cells.nx), cy = cell_index(y * cells.per_y, cells.ny);
    for (int j = cy > 0 ? cy - 1 : 0; j <= cy + 1 && j < cells.ny; ++j) {
      const int* line = starts + static_cast<std::ptrdiff_t>(j) * cells.nx;
      const int to = line[(cx + 1 < cells.nx ? cx + 1 : cx) + 1];
      for (int e = line[cx > 0 ? cx - 1 : 0]; e < to; ++e)
        if (entries[e] > i) look(i, entries[e], sums);
    }
    // Far from walls, so that the neighbourhood is complete.
    const double far = farthest_distance * 2 * static_cast<double>(grid.radius);
    if (centre_stride > 0 && i % centre_stride == 0 && x > far && x < right - far && y > far && y < height - far) {
      ++sums.centres;
      measure_distances(i, x, y, far);
    }
  }
  PERTURB_HD void look(int i, int j, DiscObserved& sums) const {
    const Disc<Real> a = grid.discs[i], b = grid.discs[j];
    const double reach = static_cast<double>(grid.kind(i).radius) + static_cast<double>(grid.kind(j).radius);
    const double dx = static_cast<double>(b.x) - static_cast<double>(a.x);
    const double dy = static_cast<double>(b.y) - static_cast<double>(a.y), d2 = dx * dx + dy * dy;
    if (!(d2 < (reach - tolerance) * (reach - tolerance))) return;
    ++sums.overlaps;
    // Tests whether they were apart a step ago, had they moved straight. (A disc that has collided in a step moves
    // straight for the rest of it.)
    const double ux = dx - (static_cast<double>(b.vx) - static_cast<double>(a.vx));
    const double uy = dy - (static_cast<double>(b.vy) - static_cast<double>(a.vy));
    if (ux * ux + uy * uy >= reach * reach) ++sums.missed;
  }
  PERTURB_HD void measure_distances(int i, double x, double y, double far) const {
    const int x0 = cell_index((x - far) * cells.per_x, cells.nx), x1 = cell_index((x + far) * cells.per_x, cells.nx);
    const int y0 = cell_index((y - far) * cells.per_y, cells.ny), y1 = cell_index((y + far) * cells.per_y, cells.ny);
    for (int j = y0; j <= y1; ++j) {
      const int* line = starts + static_cast<std::ptrdiff_t>(j) * cells.nx;
      for (int e = line[x0]; e < line[x1 + 1]; ++e) {
        const Disc<Real> other = grid.discs[entries[e]];
        const double dx = static_cast<double>(other.x) - x, dy = static_cast<double>(other.y) - y;
        const double distance = std::sqrt(dx * dx + dy * dy);
        if (distance < far && entries[e] != i)
          atomic_add(counts->distances[cell_index(distance / far * distance_bins, distance_bins)], 1);
      }
    }
  }
};

// Measurements in addition to overlaps and displacement.
struct ObserveOptions {
  bool distances = false, profile = false, mixing = false;
  double right = 1, width = 1, height = 1, tolerance = 0;
};

template <class Real>
class DiscObserver {
 public:
  explicit DiscObserver(Backend& backend)
      : backend_(backend),
        counts_(backend, 1, "counts of discs"),
        sums_(backend),
        readback_(backend, sizeof(DiscCounts)) {}
  static std::size_t bytes_for(std::size_t n) { return n * sizeof(Disc<Real>) + CellBins::bytes_of(n, 64 + 2 * n); }

  // Allocates memory for this number of discs. If memory runs out, nothing changes.
  void reset(std::size_t count) {
    CellBins bins(backend_, count, 64 + 2 * count, "discs by cell");
    bins_ = std::move(bins);
  }

  // Queued. `origins` by id.
  void start(const DiscGrid<Real>& grid, const Disc<Real>* origins, const ObserveOptions& look) {
    counts_.fill_zero();
    ObserveDiscs<Real> observe;
    observe.grid = grid, observe.origins = origins, observe.counts = counts_.data();
    observe.cells = make_cells<Real>(look.width, look.height, static_cast<double>(grid.radius), 0, 1,
                                     static_cast<int>(bins_.most_cells()));
    observe.profile = look.profile, observe.mixing = look.mixing, observe.tolerance = look.tolerance;
    observe.right = look.right, observe.width = look.width, observe.height = look.height;
    observe.centre_stride = look.distances ? (grid.count + most_centres - 1) / most_centres : 0;
    bins_.build("particles.observe", grid.count, CellOfDisc<Real>{grid, observe.cells});
    observe.starts = bins_.starts().data, observe.entries = bins_.entries().data;
    sums_.start("particles.observe", sum_range(grid.count), observe);
    readback_.start(counts_.data());
  }
  bool ready() { return sums_.ready() && readback_.ready(); }
  void wait() { sums_.wait(), readback_.wait(); }
  DiscObserved sums() const { return sums_.result(); }
  DiscCounts counts() const {
    DiscCounts counts;
    std::memcpy(&counts, readback_.data(), sizeof counts);
    return counts;
  }

 private:
  Backend& backend_;
  CellBins bins_;
  Array<DiscCounts> counts_;
  Reduction<DiscObserved> sums_;
  AsyncReadback readback_;
};

}  // namespace perturb::particles
