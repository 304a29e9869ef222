#include "cuda/lbm/kernels/launches.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/lbm/model/curved.h"

namespace perturb::lbm {

namespace {

constexpr int frame = Rim::halo;
// Width of a tile along a side: tile and frame together have as many cells as the block has threads.
constexpr int width_along_a_row = Rim::threads / (rim_rows + 2 * frame) - 2 * frame;
constexpr int height_along_a_column = Rim::threads / (rim_columns + 2 * frame) - 2 * frame;

CellBox cells_of(const SweepBox& box) { return {box.x, box.y, box.width, box.height}; }

// Reads along boundary links have no use, and are not listed.
BeyondSide beyond(const Side& side) {
  return side.kind == Boundary::periodic ? BeyondSide::opposite : BeyondSide::nothing;
}

LaunchMap map_of(const LaunchInput& input, int steps) {
  const StepParams& flow = input.flow;
  LaunchMap map;
  map.width = flow.width;
  map.height = flow.height;
  map.cell_bytes = input.cell_bytes;
  map.row_bytes = input.cell_bytes *
                  (input.cell_bytes == 2 ? Field<Half>::stride_of(flow.width) : Field<float>::stride_of(flow.width));
  map.left = beyond(flow.left);
  map.right = beyond(flow.right);
  map.bottom = beyond(flow.bottom);
  map.top = beyond(flow.top);
  map.steps = steps;
  return map;
}

// The populations that arrive at `cells` consecutive cells. Where a thread has several cells, it takes the sideways
// neighbours from the threads beside it, except at both ends of a warp.
std::vector<LaunchRead> reads_of_step(const LaunchInput& input, int cells) {
  std::vector<LaunchRead> reads;
  for (int q = 0; q < lbm_links; ++q) {
    LaunchRead read{Message("f{}", q), q * input.plane_bytes, cells > 1 ? 0 : -lbm_ex(q), -lbm_ey(q), cells};
    reads.push_back(read);
    if (cells == 1 || lbm_ex(q) == 0) continue;
    read.cells = 1;
    read.dx = lbm_ex(q) > 0 ? -1 : cells;
    read.lanes = lbm_ex(q) > 0 ? LaunchRead::Lanes::first : LaunchRead::Lanes::last;
    reads.push_back(read);
  }
  return reads;
}

Launch launch_of_loop(const char* label, const LaunchInput& input, int cells) {
  Launch launch;
  launch.label = label;
  launch.block_x = loop_block_width;
  launch.block_y = loop_block_height;
  launch.cells_of_thread = cells;
  launch.parts = {{{0, 0, input.flow.width, input.flow.height}, cells * loop_block_width, loop_block_height}};
  launch.halo_x = launch.halo_y = 1;
  launch.reads = reads_of_step(input, cells);
  return launch;
}

Launch launch_of_few(const char* label, const LaunchInput& input) {
  return launch_of_loop(label, input, input.flow.width % few == 0 ? few : 1);
}

Launch launch_of_streams(const LaunchInput& input, int resident) {
  const SweepBox box = inside_rim(input.flow);
  Launch launch;
  launch.label = "lbm.temporal";
  launch.is_recorded = false;
  launch.block_x = threads_of_warp;
  launch.block_y = 1;
  launch.cells_of_thread = stream_cells_of_lane;
  launch.lead = lbm_stream_steps;
  launch.sweeps = true;
  launch.parts = {{cells_of(box), useful_stream_columns, stream_rows(box, resident)}};
  launch.halo_x = launch.halo_y = lbm_stream_steps;
  for (int q = 0; q < lbm_links; ++q)
    launch.reads.push_back({Message("f{}", q), q * input.plane_bytes, 0, 0, stream_cells_of_lane});
  return launch;
}

Launch launch_of_tiles(const LaunchInput& input, const TileList& list, int threads, int halo) {
  Launch launch;
  launch.label = "lbm.temporal_tiles";
  launch.is_recorded = false;
  launch.block_x = threads;
  launch.block_y = 1;
  launch.order = Launch::Order::in_turn;
  launch.frame = halo;
  launch.halo_x = launch.halo_y = halo + 1;
  int first_block = 0;
  for (int k = 0; k < list.count; ++k) {
    const TileList::Part& part = list.part[k];
    launch.parts.push_back({cells_of(part.box), part.width, part.height, true, first_block});
    first_block += part.tiles();
  }
  launch.reads = reads_of_step(input, 1);
  return launch;
}

}  // namespace

// Such that the warps fill the device a whole number of times, one to four: the number with the least waste in idle
// warps of the last round and in overlap. At least 4T rows, at which overlap is a third of the work.
int stream_rows(const SweepBox& box, int places) {
  constexpr int overlap = 2 * lbm_stream_steps, min_rows = 4 * lbm_stream_steps;
  const int strips = stream_strips(box);
  int chunk = std::min(min_rows, box.height);
  double best = 0;
  for (int waves = 1; waves <= 4; ++waves) {
    const int rows =
        std::max(min_rows, (box.height + waves * places / strips - 1) / std::max(1, waves * places / strips));
    const int warps = strips * ((box.height + rows - 1) / rows), rounds = (warps + places - 1) / places;
    const double useful_work =
        static_cast<double>(strips) * box.height / (static_cast<double>(rounds) * places * (rows + overlap));
    if (useful_work > best) {
      best = useful_work;
      chunk = rows;
    }
  }
  return chunk;
}

SweepBox inside_rim(const StepParams& p) {
  SweepBox inner{0, 0, p.width, p.height};
  if (p.bottom.kind != Boundary::periodic) {
    inner.y = rim_rows;
    inner.height -= 2 * rim_rows;
  }
  if (p.left.kind != Boundary::periodic) {
    inner.x = rim_columns;
    inner.width -= 2 * rim_columns;
  }
  return inner;
}

TileList grid_tiles(const StepParams& p) {
  TileList list;
  list.add({0, 0, p.width, p.height}, GridTile<4>::width, GridTile<4>::height);
  return list;
}

TileList rim_tiles(const StepParams& p) {
  const SweepBox inner = inside_rim(p);
  TileList rim;
  if (inner.y > 0) {
    rim.add({0, 0, p.width, rim_rows}, width_along_a_row, rim_rows);
    rim.add({0, p.height - rim_rows, p.width, rim_rows}, width_along_a_row, rim_rows);
  }
  if (inner.x > 0) {
    rim.add({0, inner.y, rim_columns, inner.height}, rim_columns, height_along_a_column);
    rim.add({p.width - rim_columns, inner.y, rim_columns, inner.height}, rim_columns, height_along_a_column);
  }
  return rim;
}

LaunchMap cuda_launch_map(Kernel kernel, const LaunchInput& input, int steps, int resident) {
  LaunchMap map = map_of(input, steps);
  map.on_gpu = true;
  switch (kernel) {
    case Kernel::unsplit:
      map.launches = {launch_of_loop("lbm.velocities", input, 1)};
      map.launches.front().is_recorded = false;
      map.remark = "A kernel for the boundary cells, which is not shown, goes before this one.";
      break;
    case Kernel::split:
      map.launches = {launch_of_loop("lbm.else_kernel", input, 1)};
      map.launches.front().is_recorded = false;
      map.remark = "Kernels for the boundary cells and for solid cells, which are not shown, go before this one.";
      break;
    case Kernel::in_place:
      map.launches = {launch_of_loop("lbm.in_place_odd", input, 1)};
      map.remark = "Shown are odd steps. In even steps a thread reads the populations of its own cell only.";
      break;
    case Kernel::fused:
      map.launches = {launch_of_few("lbm.fused", input)};
      break;
    case Kernel::half:
      map.launches = {launch_of_few("lbm.half", input)};
      break;
    case Kernel::temporal:
      if (steps == lbm_stream_steps) {
        map.launches = {launch_of_streams(input, resident)};
        if (const TileList rim = rim_tiles(input.flow); rim.count > 0)
          map.launches.push_back(launch_of_tiles(input, rim, Rim::threads, Rim::halo));
        if (input.flow.painted)
          map.remark = "Where walls are near, a launch of its own may compute bands of rows instead. It is not shown.";
      } else if (steps > 1) {
        const TileList tiles = grid_tiles(input.flow);
        map.launches = {steps == 2 ? launch_of_tiles(input, tiles, GridTile<2>::threads, GridTile<2>::halo)
                                   : launch_of_tiles(input, tiles, GridTile<4>::threads, GridTile<4>::halo)};
      } else {
        map.launches = {launch_of_few("lbm.fused", input)};
      }
      break;
  }
  return map;
}

SkewedRows cpu_rows(int threads, const StepParams& params, int steps, bool curved) {
  constexpr int min_cells = 4096;  // fewer cells do not justify waking a thread
  return skewed_rows(threads, params.height, steps, params.bottom.kind == Boundary::periodic,
                     1 + (min_cells - 1) / (params.width * steps), curved ? CurvedRows::reach : 1);
}

LaunchMap cpu_launch_map(const CpuThreads& threads, Kernel kernel, const LaunchInput& input, int steps) {
  const StepParams& flow = input.flow;
  LaunchMap map = map_of(input, steps);
  Launch launch;
  launch.halo_y = input.curved ? CurvedRows::reach : 1;
  launch.reads = reads_of_step(input, 1);
  if (kernel == Kernel::half || kernel == Kernel::in_place) {
    launch.label = kernel == Kernel::half ? "lbm.half" : "lbm.in_place_odd";
    launch.parts = band_parts(threads.row_blocks(flow.height, min_loop_rows(flow.width)), flow.width, flow.height);
    if (kernel == Kernel::in_place)
      map.remark = "Shown are odd steps. In even steps a thread reads the populations of its own cell only.";
  } else {
    const SkewedRows rows = cpu_rows(threads.count(), flow, steps, input.curved);
    launch.label = steps == 1 ? "lbm.fused" : "lbm.temporal";
    launch.parts = band_parts(rows, flow.width);
    launch.seam_rows = rows.seam_rows();
    launch.wraps = rows.wraps;
    launch.vector_cells = row_lanes;
    launch.min_vectors = min_row_vectors;
    launch.single_bottom = is_single_row(flow.bottom);
    launch.single_top = is_single_row(flow.top);
  }
  map.launches = {launch};
  return map;
}

}  // namespace perturb::lbm
