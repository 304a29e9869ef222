// How the flow's kernels divide the grid among blocks, warps and threads: used by the kernels themselves, and by the
// launch overlay. Compiles without CUDA.
#pragma once

#include <cstdint>

#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/loops/skewed_rows.h"
#include "cuda/core/math/simd.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// ---- fused and half

constexpr int few = 4;  // cells per thread: 16 or 8 bytes an access (2 and 8 cells measured slower)
// The first column of a thread with this many cells.
template <int cells>
PERTURB_HD constexpr int few_column(int block_x, int thread_x) {
  return cells * (block_x * loop_block_width + thread_x);
}

// ---- streams (kernels/streams.cu): strips of columns and chunks of rows, one warp each

constexpr int stream_cells_of_lane = lbm_strip / threads_of_warp;
constexpr int useful_stream_columns = lbm_strip - 2 * lbm_stream_steps;
PERTURB_HD inline int stream_strips(const SweepBox& box) {
  return (box.width + useful_stream_columns - 1) / useful_stream_columns;
}
// The first column of a lane, before wrapping.
PERTURB_HD inline int stream_column(const SweepBox& box, int strip, int lane) {
  return box.x + strip * useful_stream_columns - lbm_stream_steps + stream_cells_of_lane * lane;
}
// Rows per chunk. `places`: warps that the device can hold at once.
int stream_rows(const SweepBox& box, int places);

// ---- tiles (kernels/tiles.cu): a block for each, with a frame

// A tile, its frame of T-1 more cells on every side, and its threads. `of`: a tile of this size.
//
// For a whole grid. At T = 4 the frame is 70 x 22 cells, 55440 bytes: two blocks of 16 warps share a multiprocessor
// (__launch_bounds__ below), and a third of the cells computed at level 1 is frame.
template <int T>
struct GridTile {
  static constexpr int width = 64, height = 16, halo = T - 1, threads = 512;
  static constexpr int max_cells(int reach) { return (width + 2 * reach) * (height + 2 * reach); }
  PERTURB_HD static GridTile of(int, int) { return {}; }
};
// Along a side: cells and frame together have as many cells as the block has threads, so each level takes one pass.
template <int T>
struct RimTile {
  int width, height;
  static constexpr int halo = T - 1, threads = 512;
  static constexpr int max_cells(int) { return threads; }
  PERTURB_HD static RimTile of(int w, int h) { return {w, h}; }
};
template <class Tile>
constexpr int tile_cells = Tile::max_cells(Tile::halo);
template <class Tile>
constexpr int tile_bytes = lbm_links* tile_cells<Tile>* static_cast<int>(sizeof(float));

// Boxes to cover with tiles.
struct TileList {
  struct Part {
    SweepBox box;
    int width, height;  // of a tile
    PERTURB_HD int across() const { return (box.width + width - 1) / width; }
    PERTURB_HD int tiles() const { return across() * ((box.height + height - 1) / height); }
  };
  Part part[4];
  // A tile, and the size of those of its part that are not cut.
  struct Tile {
    SweepBox box;
    int width, height;
  };
  int count = 0;
  void add(const SweepBox& box, int width, int height) { part[count++] = {box, width, height}; }
  int blocks() const {
    int all = 0;
    for (int k = 0; k < count; ++k) all += part[k].tiles();
    return all;
  }
  PERTURB_HD Tile tile_of_block(int block) const {
    Part of = part[0];
    for (int k = 1; k < 4; ++k) {
      const int tiles = of.tiles();
      if (block < tiles || k >= count) break;
      block -= tiles;
      of = part[k];
    }
    const int across = of.across(), x = of.box.x + block % across * of.width, y = of.box.y + block / across * of.height;
    const int columns = of.box.x + of.box.width - x, rows = of.box.y + of.box.height - y;
    return {{x, y, columns < of.width ? columns : of.width, rows < of.height ? rows : of.height}, of.width, of.height};
  }
};

// Those of a whole grid, and those of the boundary cells.
TileList grid_tiles(const StepParams& params);
using Rim = RimTile<lbm_stream_steps>;
TileList rim_tiles(const StepParams& params);

// ---- for the launch overlay

// Warps of the streams that the device can hold at once.
int streams_resident(const StepParams& params, int features, const MarkedBands& bands);

// Key of a map, besides the kernel and the steps of its pass.
struct LaunchInput {
  const StepParams& flow;
  int cell_bytes;            // of a population
  std::int64_t plane_bytes;  // from a population's plane to the next
  bool curved = false;       // past curved walls, which reach further
};
// The launch of a CUDA kernel. `resident`: as above, for passes of lbm_stream_steps steps.
LaunchMap cuda_launch_map(Kernel kernel, const LaunchInput& input, int steps, int resident);
LaunchMap cpu_launch_map(const CpuThreads& threads, Kernel kernel, const LaunchInput& input, int steps);

// The rows of each thread in a pass of cpu_steps.
SkewedRows cpu_rows(int threads, const StepParams& params, int steps, bool curved);

// Cells of a CPU vector, and the fewest vectors of a row that is divided into them (row_vectors).
constexpr int row_lanes = vector_bytes / static_cast<int>(sizeof(float));
constexpr int min_row_vectors = 3;
// Whether the lowest or uppermost row is computed cell by cell: its side reads more than one population of a cell.
inline bool is_single_row(const Side& side) { return side.kind != Boundary::periodic && reads_cell(side.kind); }

}  // namespace perturb::lbm
