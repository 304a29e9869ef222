// Sums over all discs, and measurements that need pairs or positions: overlaps, distances, displacement, mixing, a
// profile. For files under cuda/ only, like reduce.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cuda/core/backend/view.h"
#include "cuda/core/loops/atomic.h"
#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/loops/reduce.h"
#include "cuda/particles/model/fixtures.h"
#include "cuda/particles/model/grid.h"
#include "cuda/particles/view/paint.h"

namespace perturb::particles {

PERTURB_HD inline void merge_gains(WallGains& to, const WallGains& more) {
  to.impulse += more.impulse;
  to.heat += more.heat;
  to.work += more.work;
}

// In units of a step. Small: a CUDA block merges 256 of them in its shared memory.
struct Sums {
  double energy = 0, momentum_x = 0, momentum_y = 0;
  double area = 0;             // covered by discs
  double weighted_height = 0;  // sum of mass times height
  double second_energy = 0;    // of the discs whose mass is not 1, which are `second_discs`
  std::int64_t second_discs = 0;
  float low = 3e38f, high = -3e38f;  // of the shown quantity
  std::int64_t wall_collisions = 0, disc_collisions = 0;
  std::int64_t first_bad = INT64_MAX;  // the id of a disc whose numbers are not finite
  WallGains gains;
  int slices = 0, cells = 0;
  PERTURB_HD void merge(const Sums& o) {
    energy += o.energy;
    momentum_x += o.momentum_x;
    momentum_y += o.momentum_y;
    area += o.area;
    weighted_height += o.weighted_height;
    second_energy += o.second_energy;
    second_discs += o.second_discs;
    low = o.low < low ? o.low : low;
    high = o.high > high ? o.high : high;
    wall_collisions += o.wall_collisions;
    disc_collisions += o.disc_collisions;
    first_bad = o.first_bad < first_bad ? o.first_bad : first_bad;
    merge_gains(gains, o.gains);
    slices += o.slices;
    cells += o.cells;
  }
};

template <class Real>
struct Sum {
  DiscValue<Real> value;
  const StepControl* control;
  PERTURB_HD void operator()(int column, int row, Sums& sums) const {
    const int i = row * sum_row + column;
    if (i == 0) {
      merge_gains(sums.gains, control->gains);
      sums.slices += control->cells.slices;
      sums.cells += control->cells.nx * control->cells.ny;
    }
    if (i >= value.grid.count) return;
    const Disc<Real> d = value.grid.discs[i];
    const Kind<Real> kind = value.grid.kind(i);
    const double vx = d.vx, vy = d.vy, mass = kind.mass, v2 = vx * vx + vy * vy;
    const double all = static_cast<double>(d.x) + static_cast<double>(d.y) + v2;
    if (!(all - all == 0)) {
      if (value.grid.ids[i] < sums.first_bad) sums.first_bad = value.grid.ids[i];
      return;
    }
    sums.energy += 0.5 * mass * v2;
    sums.momentum_x += mass * vx;
    sums.momentum_y += mass * vy;
    sums.weighted_height += mass * static_cast<double>(d.y);
    if (mass != 1) {
      sums.second_energy += 0.5 * mass * v2;
      ++sums.second_discs;
    }
    sums.area += 3.14159265358979323846 * static_cast<double>(kind.radius) * static_cast<double>(kind.radius);
    sums.wall_collisions += value.wall_collisions[i];
    sums.disc_collisions += value.disc_collisions[i];
    const float shown = value(i);
    if (shown < sums.low) sums.low = shown;
    if (shown > sums.high) sums.high = shown;
  }
};

// Speed histogram of the discs of mass 1: bin k counts speeds from k to k+1 bin widths, the last one all beyond.
constexpr int speed_bins = 48;
template <class Real>
struct CountSpeeds {
  Grid<Real> grid;
  double bins_per_speed;  // speeds in lengths per step
  int* bins;
  PERTURB_HD void operator()(int i) const {
    if (grid.kind(i).mass != Real(1)) return;
    const double vx = grid.discs[i].vx, vy = grid.discs[i].vy;
    atomic_add(bins[cell_index(std::sqrt(vx * vx + vy * vy) * bins_per_speed, speed_bins)], 1);
  }
};

// Position and velocity of a disc.
struct Motion {
  double x, y, vx, vy;
  template <class Real>
  PERTURB_HD explicit Motion(const Disc<Real>& d) : x(d.x), y(d.y), vx(d.vx), vy(d.vy) {}
  PERTURB_HD bool is_finite() const { return x + y + vx + vy - (x + y + vx + vy) == 0; }
  PERTURB_HD double speed2() const { return vx * vx + vy * vy; }
  // Square of the displacement since the disc came into the run at `origin`.
  template <class Real>
  PERTURB_HD double displacement2(const Disc<Real>& origin) const {
    const double wx = x - static_cast<double>(origin.x), wy = y - static_cast<double>(origin.y);
    return wx * wx + wy * wy;
  }
};

// ---- pairs and positions

constexpr int distance_bins = 80;        // of distances between centres, up to ...
constexpr double farthest_distance = 4;  // ... this many diameters
constexpr int profile_columns = 96;
constexpr int profile_layers = 24;  // of the temperature, along the direction in which it or the density changes
enum class LayerAxis { none, x, y };
constexpr int mixing_across = 16, mixing_cells = mixing_across * mixing_across;
constexpr int max_centres = 8192;  // discs whose neighbours' distances are counted

// Integers and sums over all discs; velocities in lengths per step.
struct Observed {
  std::int64_t overlaps = 0;  // pairs whose discs overlap
  std::int64_t missed = 0;    // of these, pairs that came to overlap within the last step
  double displacement2 = 0;   // sum of the squared displacements
  double speeds = 0;          // the sum of speeds
  int centres = 0;
  PERTURB_HD void merge(const Observed& o) {
    overlaps += o.overlaps;
    missed += o.missed;
    displacement2 += o.displacement2;
    speeds += o.speeds;
    centres += o.centres;
  }
};
// The layers of the box, then the circles of thermometers.
constexpr int regions = profile_layers + max_thermometers;
// Discs by their places.
struct PlaceCounts {
  int in_cell[mixing_cells], from_left[mixing_cells];
  int region_discs[regions];
  std::int64_t region_energy[regions];  // in units of the caller
};
struct Counts : PlaceCounts {
  int distances[distance_bins];
  int columns[profile_columns];
};

// Quantities counted by position, and how.
struct PlaceOptions {
  bool mixing = false;
  LayerAxis layers = LayerAxis::none;
  Circle thermometers[max_thermometers];
  int thermometer_count = 0;
  double energy_unit = 1;  // of the energies of regions

  bool has_regions() const { return layers != LayerAxis::none || thermometer_count > 0; }
  bool same_regions(const PlaceOptions& o) const {
    return layers == o.layers && thermometer_count == o.thermometer_count &&
           std::equal(thermometers, thermometers + thermometer_count, o.thermometers);
  }
  double right = 1, width = 1, height = 1;
};

// Counts disc `i`, which came into the run at `origin`.
template <class Real>
PERTURB_HD void count_place(const Grid<Real>& grid, int i, const Disc<Real>& origin, const PlaceOptions& options,
                            PlaceCounts& counts) {
  const Motion motion(grid.discs[i]);
  const auto add = [&](int region) {
    const double units = 0.5 * static_cast<double>(grid.kind(i).mass) * motion.speed2() / options.energy_unit;
    atomic_add(counts.region_discs[region], 1);
    atomic_add(counts.region_energy[region], static_cast<std::int64_t>(units < 1e12 ? units : 1e12));
  };
  if (options.layers != LayerAxis::none) {
    const double along = options.layers == LayerAxis::x ? motion.x / options.right : motion.y / options.height;
    add(cell_index(along * profile_layers, profile_layers));
  }
  for (int k = 0; k < options.thermometer_count; ++k)
    if (options.thermometers[k].contains(motion.x, motion.y)) add(profile_layers + k);
  if (options.mixing) {
    const int cell = cell_index(motion.y / options.height * mixing_across, mixing_across) * mixing_across +
                     cell_index(motion.x / options.width * mixing_across, mixing_across);
    atomic_add(counts.in_cell[cell], 1);
    if (static_cast<double>(origin.x) < 0.5 * options.width) atomic_add(counts.from_left[cell], 1);
  }
}

// Input of a run's histories, which takes a fraction of a step.
struct SampleSums {
  double energy = 0, displacement2 = 0;
  std::int64_t wall_collisions = 0, disc_collisions = 0;
  WallGains gains;
  PERTURB_HD void merge(const SampleSums& o) {
    energy += o.energy;
    displacement2 += o.displacement2;
    wall_collisions += o.wall_collisions;
    disc_collisions += o.disc_collisions;
    merge_gains(gains, o.gains);
  }
};
template <class Real>
struct SampleDiscs {
  Grid<Real> grid;
  const Disc<Real>* origins;  // by id
  const std::uint32_t *wall_collisions, *disc_collisions;
  const StepControl* control;
  PlaceOptions places;
  PlaceCounts* counts;
  PERTURB_HD void operator()(int column, int row, SampleSums& sums) const {
    const int i = row * sum_row + column;
    if (i == 0) merge_gains(sums.gains, control->gains);
    if (i >= grid.count) return;
    const Motion motion(grid.discs[i]);
    if (!motion.is_finite()) return;
    const Disc<Real> origin = origins[grid.ids[i]];
    sums.displacement2 += motion.displacement2(origin);
    sums.energy += 0.5 * static_cast<double>(grid.kind(i).mass) * motion.speed2();
    sums.wall_collisions += wall_collisions[i];
    sums.disc_collisions += disc_collisions[i];
    count_place(grid, i, origin, places, *counts);
  }
};

template <class Real>
struct CellOfDisc {
  Grid<Real> grid;
  Cells cells;
  PERTURB_HD int operator()(int i) const {
    if (grid.is_large_disc(i)) return -1;
    const int cx = cell_index(static_cast<double>(grid.discs[i].x) * cells.per_x, cells.nx);
    return cell_index(static_cast<double>(grid.discs[i].y) * cells.per_y, cells.ny) * cells.nx + cx;
  }
};

template <class Real>
struct ObserveDiscs {
  Grid<Real> grid;
  const Disc<Real>* origins;  // by id: where discs came into the run
  Cells cells;
  const int* starts;
  const int* entries;
  double tolerance;  // smaller overlaps, in lengths, are rounding errors
  int centre_stride;
  bool profile;
  PlaceOptions places;
  double right, width, height;
  Counts* counts;

  PERTURB_HD void operator()(int column, int row, Observed& sums) const {
    const int i = row * sum_row + column;
    if (i >= grid.count) return;
    const Motion motion(grid.discs[i]);
    if (!motion.is_finite()) return;
    const double x = motion.x, y = motion.y;
    const Disc<Real> origin = origins[grid.ids[i]];
    sums.displacement2 += motion.displacement2(origin);
    sums.speeds += std::sqrt(motion.speed2());
    if (profile) atomic_add(counts->columns[cell_index(x / width * profile_columns, profile_columns)], 1);
    count_place(grid, i, origin, places, *counts);
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
  PERTURB_HD void look(int i, int j, Observed& sums) const {
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
  bool distances = false, profile = false;
  double tolerance = 0;
  PlaceOptions places;
};

template <class Real>
class Observer {
 public:
  explicit Observer(Backend& backend)
      : backend_(backend), counts_(backend, 1, "counts of discs"), sums_(backend), readback_(backend, sizeof(Counts)) {}
  static std::size_t bytes_for(std::size_t n) { return n * sizeof(Disc<Real>) + CellBins::bytes_of(n, 64 + 2 * n); }

  // Allocates memory for this number of discs. If memory runs out, nothing changes.
  void reset(std::size_t count) {
    CellBins bins(backend_, count, 64 + 2 * count, "discs by cell");
    bins_ = std::move(bins);
  }

  // Queued. `origins` by id.
  void start(const Grid<Real>& grid, const Disc<Real>* origins, const ObserveOptions& look) {
    counts_.fill_zero();
    ObserveDiscs<Real> observe;
    observe.grid = grid;
    observe.origins = origins;
    observe.counts = counts_.data();
    observe.cells = make_cells<Real>(look.places.width, look.places.height, static_cast<double>(grid.radius), 0, 1,
                                     static_cast<int>(bins_.max_cells()));
    observe.profile = look.profile;
    observe.tolerance = look.tolerance;
    observe.places = look.places;
    observe.right = look.places.right;
    observe.width = look.places.width;
    observe.height = look.places.height;
    observe.centre_stride = look.distances ? (grid.count + max_centres - 1) / max_centres : 0;
    bins_.build("particles.observe", grid.count, CellOfDisc<Real>{grid, observe.cells});
    observe.starts = bins_.starts().data;
    observe.entries = bins_.entries().data;
    sums_.start("particles.observe", sum_range(grid.count), observe);
    readback_.start(counts_.data());
  }
  bool ready() { return sums_.ready() && readback_.ready(); }
  void wait() {
    sums_.wait();
    readback_.wait();
  }
  Observed sums() const { return sums_.result(); }
  Counts counts() const {
    Counts counts;
    std::memcpy(&counts, readback_.data(), sizeof counts);
    return counts;
  }

 private:
  Backend& backend_;
  CellBins bins_;
  Array<Counts> counts_;
  Reduction<Observed> sums_;
  AsyncReadback readback_;
};

// Takes samples for the histories of a run.
template <class Real>
class Sampler {
 public:
  explicit Sampler(Backend& backend)
      : counts_(backend, 1, "counts of discs"),
        sums_(backend),
        counts_readback_(backend, sizeof(PlaceCounts)),
        heavy_(backend, sizeof(Disc<Real>)) {}

  // Queued. `heavy_slot`: of the largest disc, whose path is kept; negative: none.
  void start(const SampleDiscs<Real>& sample, int heavy_slot) {
    // Each clearing and each copy takes as long as several steps of few discs.
    const bool counts = sample.places.mixing || sample.places.has_regions();
    if (counts) counts_.fill_zero();
    SampleDiscs<Real> counting = sample;
    counting.counts = counts_.data();
    sums_.start("particles.sample", sum_range(sample.grid.count), counting);
    if (counts) counts_readback_.start(counts_.data());
    if (heavy_slot >= 0) heavy_.start(sample.grid.discs + heavy_slot);
  }
  bool ready() { return sums_.ready() && counts_readback_.ready() && heavy_.ready(); }
  void wait() {
    sums_.wait();
    counts_readback_.wait();
    heavy_.wait();
  }
  SampleSums sums() const { return sums_.result(); }
  PlaceCounts counts() const {
    PlaceCounts counts;
    std::memcpy(&counts, counts_readback_.data(), sizeof counts);
    return counts;
  }
  Disc<Real> heavy() const {
    Disc<Real> disc;
    std::memcpy(&disc, heavy_.data(), sizeof disc);
    return disc;
  }

 private:
  Array<PlaceCounts> counts_;
  Reduction<SampleSums> sums_;
  AsyncReadback counts_readback_, heavy_;
};

}  // namespace perturb::particles
