// Tiles: several steps of the flow in one pass over memory, for small grids (2 or 4 steps) and for the boundary cells
// of large ones (as many as the streams take). Tiles support all types of sides, and walls.
//
// A block steps a tile in shared memory. Level 1 is computed directly from the grid, for the tile and T-1 more cells on
// every side; each further level for one cell less on every side; and level T, of the tile itself, is written directly
// to the grid. For T = 4:
//
//         1 1 1 1 1 1 1 1 1 1 1 1
//         1 2 2 2 2 2 2 2 2 2 2 1
//         1 2 3 3 3 3 3 3 3 3 2 1         a digit: the highest level of a cell that this tile computes
//         1 2 3 # # # # # # 3 2 1         #: the tile, level 4, which is written
//         1 2 3 # # # # # # 3 2 1
//         1 2 3 3 3 3 3 3 3 3 2 1
//         1 2 2 2 2 2 2 2 2 2 2 1
//         1 1 1 1 1 1 1 1 1 1 1 1
//
// The frame holds one level, in place: all threads read what their cells need, synchronise, write the new level, and
// synchronise. A level is in registers between the two barriers, so shared memory holds nine numbers a cell, not
// eighteen.
//
// Cells beyond a side that is not periodic are never read: links from there are boundary links, whose populations
// follow from those of the cell itself. Frames are therefore cut at such sides.
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"

namespace perturb::lbm {

namespace {

// The grid cell of cell (x, y) of the tile's frame; false outside the grid, where nothing is read.
__device__ inline bool grid_index_formatter(const StepParams& p, int i, int j, int& a, int& b) {
  a = i;
  b = j;
  if (i < 0 || i >= p.width) {
    if (p.left.kind != Boundary::periodic) return false;
    a = i % p.width;
    if (a < 0) a += p.width;
  }
  if (j < 0 || j >= p.height) {
    if (p.bottom.kind != Boundary::periodic) return false;
    b = j % p.height;
    if (b < 0) b += p.height;
  }
  return true;
}

// Cell n of the frame, one level up, computed from the frame.
template <int Features, int Cells>
__device__ inline void step_in_frame(const StepParams& p, const float* held, int pitch, int n, int a, int b,
                                     float (&g)[lbm_links]) {
  const int mask = p.links.empty() ? 0 : p.links(a, b);
  if (mask == all_links) {
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) g[q] = 0.f;
    return;
  }
#pragma unroll
  for (int q = 0; q < lbm_links; ++q) g[q] = held[q * Cells + n - lbm_ex(q) - lbm_ey(q) * pitch];
  if (mask != 0) {
    float own[lbm_links];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) own[q] = held[q * Cells + n];
    apply_boundaries(p, own, mask, a, b, g);
  }
  lbm_collide<Features>(g, p.rates);
}

// Level L of the frame, in place: read, barrier, write, barrier. `box`: the cells of this tile, which may be
// fewer than in a full one.
template <int Features, int L, class Tile>
__device__ inline void level_in_place(const StepParams& p, float* held, Tile tile, SweepBox box) {
  constexpr int reach = Tile::halo + 1 - L;  // cells beyond the tile that this level has
  constexpr int rounds = (Tile::max_cells(reach) + Tile::threads - 1) / Tile::threads;
  const int width = tile.width + 2 * reach, cells = width * (tile.height + 2 * reach);
  const int pitch = tile.width + 2 * Tile::halo;
  float g[rounds][lbm_links];
  const int right = box.width + 2 * reach, top = box.height + 2 * reach;
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = static_cast<int>(threadIdx.x) + r * Tile::threads, x = k % width, y = k / width;
    int a, b;
    if (k < cells && x < right && y < top && grid_index_formatter(p, box.x - reach + x, box.y - reach + y, a, b))
      step_in_frame<Features, tile_cells<Tile>>(p, held, pitch, (y + L - 1) * pitch + x + L - 1, a, b, g[r]);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = static_cast<int>(threadIdx.x) + r * Tile::threads, x = k % width, y = k / width;
    if (k >= cells) continue;
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) held[q * tile_cells<Tile> + (y + L - 1) * pitch + x + L - 1] = g[r][q];
  }
  __syncthreads();
}

// Levels L .. T-1.
template <int Features, int L, class Tile>
__device__ inline void levels_in_place(const StepParams& p, float* held, Tile tile, SweepBox box) {
  if constexpr (L <= Tile::halo) {
    level_in_place<Features, L>(p, held, tile, box);
    levels_in_place<Features, L + 1>(p, held, tile, box);
  }
}

template <int Features, class Tile>
__global__ void __launch_bounds__(Tile::threads, 2)
    tile_steps(StepParams p, Populations<float> from, Populations<float> to, TileList list) {
  extern __shared__ float held[];  // [link][row][column] of the frame
  const TileList::Tile mine = list.tile_of_block(static_cast<int>(blockIdx.x));
  const Tile tile = Tile::of(mine.width, mine.height);
  const SweepBox box = mine.box;

  // Level 1, directly from the grid.
  constexpr int halo = Tile::halo;
  const int pitch = tile.width + 2 * halo, cells = pitch * (tile.height + 2 * halo);
  const int right = box.width + 2 * halo, top = box.height + 2 * halo;
  for (int k = static_cast<int>(threadIdx.x); k < cells; k += Tile::threads) {
    const int x = k % pitch, y = k / pitch;
    int a, b;
    if (x >= right || y >= top || !grid_index_formatter(p, box.x - halo + x, box.y - halo + y, a, b)) continue;
    const int mask = p.links.empty() ? 0 : p.links(a, b);
    float g[lbm_links] = {};
    if (mask != all_links) {
      gather(p, from, mask, a, b, g);
      lbm_collide<Features>(g, p.rates);
    }
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) held[q * tile_cells<Tile> + k] = g[q];
  }
  __syncthreads();
  levels_in_place<Features, 2>(p, held, tile, box);
  // The last level, written directly to the grid.
  for (int k = static_cast<int>(threadIdx.x); k < tile.width * tile.height; k += Tile::threads) {
    const int x = k % tile.width, y = k / tile.width;
    if (x >= box.width || y >= box.height) continue;
    const int i = box.x + x, j = box.y + y;
    float g[lbm_links];
    step_in_frame<Features, tile_cells<Tile>>(p, held, pitch, (y + halo) * pitch + x + halo, i, j, g);
    to.store(i, j, g);
  }
}

template <int Features, class Tile>
void run_tiles(Backend& backend, const StepParams& p, const Populations<float>& from, const Populations<float>& to,
               const TileList& list) {
  static const bool prepared = [] {
    PERTURB_CUDA_CHECK(cudaFuncSetAttribute(tile_steps<Features, Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            tile_bytes<Tile>));
    return true;
  }();
  (void)prepared;
  const CudaLaunch launch(backend, "lbm.temporal_tiles");
  tile_steps<Features, Tile>
      <<<static_cast<unsigned>(list.blocks()), Tile::threads, tile_bytes<Tile>, launch.stream()>>>(p, from, to, list);
}

}  // namespace

void run_rim(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
             int features) {
  const TileList rim = rim_tiles(params);
  if (rim.count == 0) return;
  with_features(features,
                [&](auto constant) { run_tiles<decltype(constant)::value, Rim>(backend, params, from, to, rim); });
}

void lbm_run_tiles(Backend& backend, const StepParams& params, const Populations<float>& from,
                   const Populations<float>& to, int features, int steps) {
  const TileList list = grid_tiles(params);
  with_features(features, [&](auto constant) {
    constexpr int Features = decltype(constant)::value;
    if (steps == 2)
      run_tiles<Features, GridTile<2>>(backend, params, from, to, list);
    else
      run_tiles<Features, GridTile<4>>(backend, params, from, to, list);
  });
}

LaunchShape tiles_shape(int features) {
  return with_features(features, [](auto constant) {
    constexpr int Features = decltype(constant)::value;
    LaunchShape tiles =
        cuda_launch_shape(reinterpret_cast<const void*>(tile_steps<Features, GridTile<4>>), dim3(GridTile<4>::threads));
    tiles.shared_bytes += tile_bytes<GridTile<4>>;
    return tiles;
  });
}

}  // namespace perturb::lbm
