#include "cuda/wave/kernels/launches.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "cuda/core/backend/field.h"

namespace perturb::wave {

namespace {

BeyondSide beyond(Boundary boundary) {
  switch (boundary) {
    case Boundary::fixed:
      return BeyondSide::nothing;
    case Boundary::free:
      return BeyondSide::own;
    case Boundary::absorbing:
      return BeyondSide::inner;
    case Boundary::periodic:
      return BeyondSide::opposite;
  }
  return BeyondSide::nothing;
}

template <class Real>
LaunchMap map_of(const StepParams<Real>& params, int steps) {
  LaunchMap map;
  map.width = params.width;
  map.height = params.height;
  map.cell_bytes = sizeof(Real);
  map.row_bytes = Field<Real>::stride_of(params.width) * map.cell_bytes;
  map.left = beyond(params.left);
  map.right = beyond(params.right);
  map.bottom = beyond(params.bottom);
  map.top = beyond(params.top);
  map.steps = steps;
  return map;
}

template <class Real>
CellBox whole(const StepParams<Real>& params) {
  return {0, 0, params.width, params.height};
}

// Reads of a thread for `cells` consecutive cells: rows of u in wide accesses, and their neighbours at both ends.
template <class Real>
std::vector<LaunchRead> reads_of_stencil(const StepParams<Real>& params, int cells) {
  const Message u = "u(t)";
  std::vector<LaunchRead> reads = {
      {u, 0, 0, 0, cells}, {u, 0, -1, 0, 1}, {u, 0, cells, 0, 1}, {u, 0, 0, -1, cells}, {u, 0, 0, 1, cells}};
  if (params.stencil == Stencil::nine)
    for (const int dy : {-1, 1})
      for (const int dx : {-1, cells}) reads.push_back({u, 0, dx, dy, 1});
  reads.push_back({"u(t-1)", 0, 0, 0, cells});
  if (!params.medium.empty()) reads.push_back({"medium", 0, 0, 0, cells});
  return reads;
}

template <class Real>
Launch launch_of_loop(const StepParams<Real>& params, LoopBlock block) {
  Launch launch;
  launch.block_x = block.width;
  launch.block_y = block.height;
  launch.parts = {{whole(params), block.width, block.height}};
  launch.halo_x = launch.halo_y = 1;
  launch.reads = reads_of_stencil(params, 1);
  return launch;
}

template <class Real>
Launch launch_of_temporal(const StepParams<Real>& params, int steps, int resident) {
  const int levels = temporal_levels(steps, sizeof(Real)), overlap = strip_overlap(levels);
  const TemporalDivision division = divide_tank(params, levels, resident);
  Launch launch;
  launch.label = "wave.temporal";
  launch.block_x = threads_of_warp;
  launch.block_y = 1;
  launch.cells_of_thread = quad;
  launch.lead = overlap;
  launch.sweeps = true;
  launch.halo_x = overlap;
  launch.halo_y = levels;
  for (int block = 0; block < division.blocks(); ++block) {
    const TemporalChunk chunk = chunk_of_block(division, block);
    const int x = chunk.strip * useful_columns(levels), rows = chunk.row_end - chunk.row_begin;
    const int columns = std::min(useful_columns(levels), params.width - x);
    launch.parts.push_back(
        {{x, chunk.row_begin, columns, rows}, useful_columns(levels), std::max(1, rows), true, block});
  }
  launch.reads = {{"u(t)", 0, 0, 0, quad}, {"u(t-1)", 0, 0, 0, quad}};
  if (!params.medium.empty()) launch.reads.push_back({"medium", 0, 0, 0, quad});
  return launch;
}

}  // namespace

// All warps should start at once and end at about the same time, since the pass ends with its last warp. The cost of a
// chunk is its rows times the cost of a sweep there, so slow strips get more chunks with fewer rows. These numbers only
// divide the work and never affect the result: a wrong one makes some warps end late.
template <class Real>
TemporalDivision divide_tank(const StepParams<Real>& params, int levels, int resident) {
  const int useful = useful_columns(levels), overlap = strip_overlap(levels);
  const int strips = (params.width + useful - 1) / useful;
  // Measured cost of a sweep relative to a plain one. Over a side, each number is copied separately and may change its
  // sign; in a tank with special rows, the sweep also runs the longer code. A strip in which a source holds cells runs
  // that code too.
  const double over_one_side = is_special(params) ? 3 : 1.3, hard_source_weight = 3;
  // Number of rows by which the chunks at an absorbing side are smaller.
  const int rows_of_sponge = params.sponge_x.empty() ? 20 : 80;
  std::map<int, double> slow{{0, over_one_side}, {strips - 1, over_one_side}};
  for (int s = 0; s < params.sources.count; ++s) {
    const HardSource<Real>& hard_source = params.sources.hard_sources[s][0];
    // A strip is slow where a source holds cells in a large share of its rows. An oscillator or a horizontal line holds
    // cells in few rows.
    const double rows =
        std::min<double>(params.height, std::abs(hard_source.y1 - hard_source.y0) + 2 * hard_source.radius);
    if (rows < 0.25 * params.height) continue;
    const double low = std::min(hard_source.x0, hard_source.x1) - hard_source.radius - 1,
                 high = std::max(hard_source.x0, hard_source.x1) + hard_source.radius + 1;
    const int first = std::max(0, static_cast<int>(std::floor((low - overlap) / useful)));
    const int last = std::min(strips - 1, static_cast<int>(std::floor((high + overlap) / useful)));
    if (last - first > 2) continue;  // an oblique line: few rows in each strip
    for (int strip = first; strip <= last; ++strip)
      if (slow.size() < max_slow_strips) slow.try_emplace(strip, 1).first->second += hard_source_weight - 1;
  }
  double weight = strips - static_cast<double>(slow.size());
  for (const auto& [strip, cost] : slow) weight += cost;

  // As many chunks as the device can hold warps. Chunks with fewer rows than half the levels would usually repeat the
  // work of their neighbours: the 2T rows of overlap cost four times as much as the rows themselves.
  const int best = std::clamp(static_cast<int>(resident / weight), 1, std::max(1, 2 * params.height / levels));
  const auto within = [&](double chunks) { return std::clamp(static_cast<int>(chunks + 0.5), 1, params.height); };
  TemporalDivision division;
  division.height = params.height;
  division.strips = strips;
  division.chunks = within(best);
  int max_chunks = division.chunks;
  for (const auto& [strip, cost] : slow) {
    division.slow[division.slow_strips++] = {strip, within(best * cost)};
    max_chunks = std::max(max_chunks, within(best * cost));
  }
  // Rows with a sponge take longer too.
  const int extra = std::min(rows_of_sponge, params.height / (2 * max_chunks));
  division.extra_bottom = params.bottom == Boundary::absorbing ? extra : 0;
  division.extra_top = params.top == Boundary::absorbing ? extra : 0;
  return division;
}

template <class Real>
LaunchMap cuda_launch_map(Kernel kernel, const StepParams<Real>& params, int steps, int resident, LoopBlock block) {
  LaunchMap map = map_of(params, steps);
  map.on_gpu = true;
  switch (kernel) {
    case Kernel::convolution: {
      Launch launch;
      launch.label = "wave.convolution";
      launch.block_x = launch.block_y = convolution_block;
      launch.parts = {{whole(params), convolution_block, convolution_block}};
      launch.halo_x = launch.halo_y = launch.frame = convolution_apron;
      launch.reads = {{"u(t)"}};
      map.launches = {launch};
      map.remark =
          "Shown is the Laplacian's launch. The copies and sums of this kernel are loops with a thread per cell.";
      break;
    }
    case Kernel::fused: {
      Launch launch = launch_of_loop(params, block);
      launch.label = "wave.fused";
      map.launches = {launch};
      break;
    }
    case Kernel::vectorised: {
      Launch launch;
      launch.label = "wave.vectorised";
      launch.block_x = threads_of_warp;
      launch.block_y = vectorised_rows;
      launch.cells_of_thread = quad;
      launch.parts = {{whole(params), vectorised_columns, vectorised_rows}};
      launch.halo_x = launch.halo_y = 1;
      launch.reads = reads_of_stencil(params, quad);
      map.launches = {launch};
      break;
    }
    case Kernel::temporal:
      map.launches = {launch_of_temporal(params, steps, resident)};
      break;
  }
  return map;
}

template <class Real>
SkewedRows cpu_rows(int threads, const StepParams<Real>& params, int steps) {
  const bool wraps = params.bottom == Boundary::periodic || params.top == Boundary::periodic;
  constexpr int min_cells = 8192;  // a thread is not woken for fewer
  return skewed_rows(threads, params.height, steps, wraps, 1 + (min_cells - 1) / (params.width * steps), 1);
}

template <class Real>
LaunchMap cpu_launch_map(int threads, const StepParams<Real>& params, int steps) {
  LaunchMap map = map_of(params, steps);
  const SkewedRows rows = cpu_rows(threads, params, steps);
  Launch launch;
  launch.label = steps == 1 ? "wave.fused" : "wave.temporal";
  launch.parts = band_parts(rows, params.width);
  launch.halo_y = 1;
  launch.seam_rows = rows.seam_rows();
  launch.wraps = rows.wraps;
  launch.vector_cells = row_lanes<Real>;
  launch.min_vectors = min_row_vectors;
  launch.reads = reads_of_stencil(params, 1);
  map.launches = {launch};
  return map;
}

template TemporalDivision divide_tank(const StepParams<float>&, int, int);
template TemporalDivision divide_tank(const StepParams<double>&, int, int);
template LaunchMap cuda_launch_map(Kernel, const StepParams<float>&, int, int, LoopBlock);
template LaunchMap cuda_launch_map(Kernel, const StepParams<double>&, int, int, LoopBlock);
template SkewedRows cpu_rows(int, const StepParams<float>&, int);
template SkewedRows cpu_rows(int, const StepParams<double>&, int);
template LaunchMap cpu_launch_map(int, const StepParams<float>&, int);
template LaunchMap cpu_launch_map(int, const StepParams<double>&, int);

}  // namespace perturb::wave
