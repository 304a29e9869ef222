// Several steps in one pass: 72/T bytes a cell and step, so that arithmetic becomes the bound. Two ways, of the same bits.
//
// `stream`, for large grids. A warp owns a strip of 64 columns, two to a lane, and streams upwards. When it has loaded row R of
// level 0 it computes row R-1 of level 1, from that row R-2 of level 2, and so on to row R-T of level T, which is written. Row r
// of level k+1 needs of level k: what goes up from row r-1, what goes level in row r, what comes down from row r+1, which has
// just been computed and is used at once. So between two levels nine numbers a cell wait in registers: the three that go up of
// two rows, and the three that stay level of one. Where there are walls the three that go down wait for a row too: then a cell
// has all nine of its own populations, of which it takes those that a wall throws back. Neighbours left and right come by six
// shuffles for two cells. At a strip's ends they are wrong, by one more column each level: strips overlap by T columns on each
// side and chunks of rows by T rows at each end. Rows arrive two ahead by asynchronous copies into shared memory, each lane
// copying for itself, so that no barrier is needed anywhere. Warps of neighbouring strips start side by side on the same rows,
// so that memory sees whole rows and what they share comes from the cache.
//
// `tiles`, for small grids, and for the rim of large ones. A block steps a tile in shared memory, from T-1 cells more on
// every side down to the tile itself. It knows all kinds of sides. The streams keep T cells away from a side that is not
// periodic: a code that asks at every cell for every kind of side does not fit into registers (and ran at a twelfth of the speed).
#include <algorithm>
#include <cstdint>

#include <cuda_pipeline_primitives.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/core/cuda_shape.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb {

namespace {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = 0xffffffffu;

struct Box {
  int x = 0, y = 0, width = 0, height = 0;  // cells
};

// ---- stream

constexpr int stream_steps = 6;  // as many as fit into 255 registers, with walls
constexpr int cells_of_lane = 2, strip = cells_of_lane * warp_size, useful = strip - 2 * stream_steps;
constexpr int rows_ahead = 2, slots = rows_ahead + 1;

// Coordinates are at most a strip beyond the grid.
__device__ inline int wrap_near(int i, int count) { return i < 0 ? i + count : i >= count ? i - count : i; }

// What waits of a level: [population][cell of the lane].
template <bool Walls>
struct Waiting {
  float up_before[3][cells_of_lane];         // links 2, 5, 6 of the row before
  float up[3][cells_of_lane];                // the same of the row itself
  float level[3][cells_of_lane];             // links 0, 1, 3
  float down[Walls ? 3 : 1][cells_of_lane];  // links 4, 7, 8
};
using Cells = float[lbm_links][cells_of_lane];

// What a lane reads from its left and right neighbours: `out[c]` is the value of column c-1 (or c+1) of the strip.
__device__ inline void from_left(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = __shfl_up_sync(all_lanes, value[1], 1);
  out[1] = value[0];
}
__device__ inline void from_right(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = value[1];
  out[1] = __shfl_down_sync(all_lanes, value[0], 1);
}

// A row rises through all levels. `marks[k]`: of the row that level k computes, a byte for each cell of the lane.
// `Answers`: some of the marks are not zero.
template <int Features, bool Walls, bool Answers>
__device__ inline void rise(Waiting<Walls> (&waiting)[stream_steps], const unsigned (&marks)[stream_steps],
                            const LbmRates& rates, Cells& fresh) {
#pragma unroll
  for (int k = 0; k < stream_steps; ++k) {
    // Row `row - k` of level k is fresh; from it and what waits comes row `row - k - 1` of level k+1.
    Waiting<Walls>& w = waiting[k];
    Cells arrived, result;
    from_left(w.level[1], arrived[1]);
    from_right(w.level[2], arrived[3]);
    from_left(w.up_before[1], arrived[5]);
    from_right(w.up_before[2], arrived[6]);
    from_right(fresh[7], arrived[7]);
    from_left(fresh[8], arrived[8]);
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) {
      float g[lbm_links] = {w.level[0][c], arrived[1][c], w.up_before[0][c], arrived[3][c], fresh[4][c],
                            arrived[5][c], arrived[6][c], arrived[7][c],     arrived[8][c]};
      if constexpr (Answers) {
        const float own[lbm_links] = {w.level[0][c], w.level[1][c], w.up[0][c],   w.level[2][c], w.down[0][c],
                                      w.up[1][c],    w.up[2][c],    w.down[1][c], w.down[2][c]};
        const unsigned mask = marks[k] >> (8 * c);
#pragma unroll
        for (int q = 1; q < lbm_links; ++q) g[q] = (mask & (1u << (q - 1))) != 0 ? own[lbm_opposite(q)] : g[q];
      }
      lbm_collide<Features>(g, rates);
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) result[q][c] = g[q];
    }
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) {
#pragma unroll
      for (int n = 0; n < 3; ++n) w.up_before[n][c] = w.up[n][c];
      w.up[0][c] = fresh[2][c], w.up[1][c] = fresh[5][c], w.up[2][c] = fresh[6][c];
      w.level[0][c] = fresh[0][c], w.level[1][c] = fresh[1][c], w.level[2][c] = fresh[3][c];
      if constexpr (Walls) w.down[0][c] = fresh[4][c], w.down[1][c] = fresh[7][c], w.down[2][c] = fresh[8][c];
    }
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) fresh[q][c] = result[q][c];
    }
  }
}

// `box`: the cells to write; T cells around them are read, wrapping.
template <int Features, bool Walls>
__global__ void __launch_bounds__(warp_size)
    stream(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to, Box box, int rows_of_chunk) {
  constexpr int T = stream_steps;
  __shared__ __align__(8) float rows[slots][lbm_links][strip];
  const int lane = static_cast<int>(threadIdx.x);
  const int s = static_cast<int>(blockIdx.x);
  const int low = box.y + static_cast<int>(blockIdx.y) * rows_of_chunk,
            high = min(low + rows_of_chunk, box.y + box.height);
  {
    const int first = box.x + s * useful - T + cells_of_lane * lane;  // this lane's columns, before wrapping
    int column[cells_of_lane];
    bool writes[cells_of_lane];
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) {
      const int k = cells_of_lane * lane + c;
      column[c] = wrap_near(first + c, p.width);
      writes[c] = k >= T && k < strip - T && first + c < box.x + box.width;
    }
    const bool paired = first >= 0 && first + 1 < p.width && (first & 1) == 0;

    const auto fetch = [&](int row, int slot) {
      const int j = wrap_near(row, p.height);
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) {
        const float* line = from.row(q, j);
        float* into = &rows[slot][q][cells_of_lane * lane];
        if (paired) {
          __pipeline_memcpy_async(into, line + first, 8);
        } else {
          __pipeline_memcpy_async(into, line + column[0], 4);
          __pipeline_memcpy_async(into + 1, line + column[1], 4);
        }
      }
      __pipeline_commit();
    };
    const auto marks_of_row = [&](int row) -> unsigned {
      const std::uint8_t* line = p.links.row(wrap_near(row, p.height));
      if (paired) return *reinterpret_cast<const std::uint16_t*>(line + first);
      return line[column[0]] | static_cast<unsigned>(line[column[1]]) << 8;
    };

    Waiting<Walls> waiting[T];
    unsigned marks[T] = {}, marked_rows = 0;  // bit k of the latter: whether any lane has marks in level k's row
#pragma unroll
    for (int k = 0; k < T; ++k) {
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) {
#pragma unroll
        for (int n = 0; n < 3; ++n) {
          waiting[k].up_before[n][c] = waiting[k].up[n][c] = waiting[k].level[n][c] = 0.f;
          if constexpr (Walls) waiting[k].down[n][c] = 0.f;
        }
      }
    }

    const int begin = low - T, end = high + T;
#pragma unroll
    for (int k = 0; k < rows_ahead; ++k) fetch(begin + k, k);
    int slot = 0;
    for (int row = begin; row < end; ++row) {
      // Always one group a row, so that the count of those still under way stays the same.
      fetch(min(row + rows_ahead, end), slot + rows_ahead < slots ? slot + rows_ahead : slot + rows_ahead - slots);
      unsigned next_marks = 0;
      if constexpr (Walls) {
        next_marks = marks_of_row(row);  // needed one row later: nothing waits for it now
        marked_rows = (marked_rows << 1 | (__any_sync(all_lanes, marks[0] != 0) ? 1u : 0u)) & ((1u << T) - 1);
      }
      __pipeline_wait_prior(rows_ahead);
      Cells fresh;
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) {
        const float2 both = *reinterpret_cast<const float2*>(&rows[slot][q][cells_of_lane * lane]);
        fresh[q][0] = both.x, fresh[q][1] = both.y;
      }
      slot = slot + 1 < slots ? slot + 1 : 0;

      const int done = row - T;
      if (Walls && marked_rows != 0) {
        rise<Features, Walls, true>(waiting, marks, p.rates, fresh);
        // In a wall nothing is stored.
#pragma unroll
        for (int c = 0; c < cells_of_lane; ++c)
          if ((marks[T - 1] >> (8 * c) & 255u) == lbm_wall_mark) {
#pragma unroll
            for (int q = 0; q < lbm_links; ++q) fresh[q][c] = 0.f;
          }
      } else {
        rise<Features, Walls, false>(waiting, marks, p.rates, fresh);
      }
      if constexpr (Walls) {
#pragma unroll
        for (int k = T - 1; k > 0; --k) marks[k] = marks[k - 1];
        marks[0] = next_marks;
      }

      if (done < low) continue;
      if (paired && writes[0] && writes[1]) {
#pragma unroll
        for (int q = 0; q < lbm_links; ++q)
          *reinterpret_cast<float2*>(to.row(q, done) + first) = make_float2(fresh[q][0], fresh[q][1]);
      } else {
#pragma unroll
        for (int c = 0; c < cells_of_lane; ++c) {
          if (!writes[c]) continue;
#pragma unroll
          for (int q = 0; q < lbm_links; ++q) to.row(q, done)[first + c] = fresh[q][c];
        }
      }
    }
    __pipeline_wait_prior(0);
  }
}

using StreamKernel = void (*)(LbmPass, LbmPopulations<float>, LbmPopulations<float>, Box, int);
template <int Features>
StreamKernel stream_kernel(const LbmPass& p) {
  return p.painted ? stream<Features, true> : stream<Features, false>;
}

template <int Features>
void run_stream(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
                Box box) {
  const StreamKernel kernel = stream_kernel<Features>(p);
  const int places = cuda_resident_blocks(reinterpret_cast<const void*>(kernel), warp_size);
  // Chunks so that the warps fill the device a whole number of times, and high enough that their overlap stays small.
  constexpr int overlap = 2 * stream_steps, least_rows = 4 * stream_steps;
  const int strips = (box.width + useful - 1) / useful;
  int chunk = std::min(least_rows, box.height);
  double best = 0;
  for (int waves = 1; waves <= 4; ++waves) {
    const int rows =
        std::max(least_rows, (box.height + waves * places / strips - 1) / std::max(1, waves * places / strips));
    const int warps = strips * ((box.height + rows - 1) / rows), rounds = (warps + places - 1) / places;
    const double useful_work =
        static_cast<double>(strips) * box.height / (static_cast<double>(rounds) * places * (rows + overlap));
    if (useful_work > best) best = useful_work, chunk = rows;
  }
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>((box.height + chunk - 1) / chunk));
  const CudaLaunch launch(backend, "lbm.temporal");
  kernel<<<grid, warp_size, 0, launch.stream()>>>(p, from, to, box, chunk);
}

// ---- tiles

constexpr int tile_width = 64, tile_height = 16;

// Boxes to cover with tiles; those of a box are counted in rows.
struct TileList {
  Box box[4];
  int count = 0;
};
__host__ __device__ inline int tiles_across(const Box& box) { return (box.width + tile_width - 1) / tile_width; }
__host__ __device__ inline int tiles_of(const Box& box) {
  return tiles_across(box) * ((box.height + tile_height - 1) / tile_height);
}

template <int T>
struct TileShape {
  static constexpr int halo = T - 1, pitch = tile_width + 2 * halo, cells = pitch * (tile_height + 2 * halo);
  static constexpr int threads = 512;
  static constexpr int bytes = lbm_links * cells * static_cast<int>(sizeof(float));
};

// Where cell (x, y) of the tile's frame lies in the grid; false outside, which is never asked for.
__device__ inline bool place_in_grid(const LbmPass& p, int i, int j, int& a, int& b) {
  a = i, b = j;
  if (i < 0 || i >= p.width) {
    if (p.left.kind != LbmBoundary::periodic) return false;
    a = i % p.width;
    if (a < 0) a += p.width;
  }
  if (j < 0 || j >= p.height) {
    if (p.bottom.kind != LbmBoundary::periodic) return false;
    b = j % p.height;
    if (b < 0) b += p.height;
  }
  return true;
}

// The cell at n of the frame, one level up, from what the frame holds.
template <int Features, int Pitch, int Cells>
__device__ inline void step_in_frame(const LbmPass& p, const float* held, int n, int a, int b, float (&g)[lbm_links]) {
  const int mask = p.links.empty() ? 0 : p.links(a, b);
  if (mask == lbm_wall_mark) {
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) g[q] = 0.f;
    return;
  }
#pragma unroll
  for (int q = 0; q < lbm_links; ++q) g[q] = held[q * Cells + n - lbm_ex(q) - lbm_ey(q) * Pitch];
  if (mask != 0) {
    float own[lbm_links];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) own[q] = held[q * Cells + n];
    lbm_answer_all(p, own, mask, a, b, g);
  }
  lbm_collide<Features>(g, p.rates);
}

// Level L of the frame, in place: read, wait, write, wait.
template <int Features, int T, int L>
__device__ inline void level_in_place(const LbmPass& p, float* held, Box tile) {
  using Shape = TileShape<T>;
  constexpr int reach = T - L;  // cells beyond the tile that this level has
  constexpr int width = tile_width + 2 * reach, cells = width * (tile_height + 2 * reach);
  constexpr int rounds = (cells + Shape::threads - 1) / Shape::threads;
  float g[rounds][lbm_links];
  const int right = tile.width + 2 * reach, top = tile.height + 2 * reach;
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = static_cast<int>(threadIdx.x) + r * Shape::threads, x = k % width, y = k / width;
    int a, b;
    if (k < cells && x < right && y < top && place_in_grid(p, tile.x - reach + x, tile.y - reach + y, a, b))
      step_in_frame<Features, Shape::pitch, Shape::cells>(p, held, (y + L - 1) * Shape::pitch + x + L - 1, a, b, g[r]);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = static_cast<int>(threadIdx.x) + r * Shape::threads, x = k % width, y = k / width;
    if (k >= cells) continue;
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) held[q * Shape::cells + (y + L - 1) * Shape::pitch + x + L - 1] = g[r][q];
  }
  __syncthreads();
}

// Levels L .. T-1.
template <int Features, int T, int L>
__device__ inline void levels_in_place(const LbmPass& p, float* held, Box tile) {
  if constexpr (L < T) {
    level_in_place<Features, T, L>(p, held, tile);
    levels_in_place<Features, T, L + 1>(p, held, tile);
  }
}

template <int Features, int T>
__global__ void __launch_bounds__(TileShape<T>::threads, 2)
    tile_steps(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to, TileList list) {
  using Shape = TileShape<T>;
  extern __shared__ float held[];  // [link][row][column] of the frame
  int n = static_cast<int>(blockIdx.x);
  Box box = list.box[0];
#pragma unroll
  for (int k = 1; k < 4; ++k) {
    const int tiles = tiles_of(box);
    if (n < tiles || k >= list.count) break;
    n -= tiles, box = list.box[k];
  }
  const int across = tiles_across(box);
  Box tile;
  tile.x = box.x + n % across * tile_width, tile.y = box.y + n / across * tile_height;
  tile.width = min(tile_width, box.x + box.width - tile.x);
  tile.height = min(tile_height, box.y + box.height - tile.y);

  // Level 1 straight from the grid.
  const int right = tile.width + 2 * Shape::halo, top = tile.height + 2 * Shape::halo;
  for (int k = static_cast<int>(threadIdx.x); k < Shape::cells; k += Shape::threads) {
    const int x = k % Shape::pitch, y = k / Shape::pitch;
    int a, b;
    if (x >= right || y >= top || !place_in_grid(p, tile.x - Shape::halo + x, tile.y - Shape::halo + y, a, b)) continue;
    const int mask = p.links.empty() ? 0 : p.links(a, b);
    float g[lbm_links] = {};
    if (mask != lbm_wall_mark) {
      lbm_gather(p, from, mask, a, b, g);
      lbm_collide<Features>(g, p.rates);
    }
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) held[q * Shape::cells + k] = g[q];
  }
  __syncthreads();
  levels_in_place<Features, T, 2>(p, held, tile);
  // The last level straight to the grid.
  for (int k = static_cast<int>(threadIdx.x); k < tile_width * tile_height; k += Shape::threads) {
    const int x = k % tile_width, y = k / tile_width;
    if (x >= tile.width || y >= tile.height) continue;
    const int i = tile.x + x, j = tile.y + y;
    float g[lbm_links];
    step_in_frame<Features, Shape::pitch, Shape::cells>(p, held, (y + Shape::halo) * Shape::pitch + x + Shape::halo, i,
                                                        j, g);
    to.store(i, j, g);
  }
}

template <int Features, int T>
void run_tiles(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
               const TileList& list) {
  using Shape = TileShape<T>;
  static const bool prepared = [] {
    PERTURB_CUDA_CHECK(
        cudaFuncSetAttribute(tile_steps<Features, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::bytes));
    return true;
  }();
  (void)prepared;
  int blocks = 0;
  for (int k = 0; k < list.count; ++k) blocks += tiles_of(list.box[k]);
  const CudaLaunch launch(backend, "lbm.temporal_tiles");
  tile_steps<Features, T>
      <<<static_cast<unsigned>(blocks), Shape::threads, Shape::bytes, launch.stream()>>>(p, from, to, list);
}

// ---- which

// Cells below which tiles are faster: their blocks of 16 warps find work for every processor sooner. Measured on an H200; beside
// sides or walls the streams have more to do.
constexpr std::int64_t least_cells_of_streams = 700 * 700, least_cells_beside_walls = 1536 * 1536;
bool streams(const LbmPass& p) {
  const std::int64_t cells = static_cast<std::int64_t>(p.width) * p.height;
  return p.width >= 2 * strip && p.height >= 2 * strip &&
         cells >= (p.links.empty() ? least_cells_of_streams : least_cells_beside_walls);
}

template <int Features>
void run(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
         int steps) {
  const Box whole{0, 0, p.width, p.height};
  if (steps != stream_steps) {
    TileList list;
    list.box[0] = whole, list.count = 1;
    if (steps == 2)
      run_tiles<Features, 2>(backend, p, from, to, list);
    else
      run_tiles<Features, 4>(backend, p, from, to, list);
    return;
  }
  constexpr int T = stream_steps;
  Box inner = whole;
  TileList rim;
  if (p.bottom.kind != LbmBoundary::periodic) {
    rim.box[rim.count++] = {0, 0, p.width, T};
    rim.box[rim.count++] = {0, p.height - T, p.width, T};
    inner.y = T, inner.height -= 2 * T;
  }
  if (p.left.kind != LbmBoundary::periodic) {
    rim.box[rim.count++] = {0, inner.y, T, inner.height};
    rim.box[rim.count++] = {p.width - T, inner.y, T, inner.height};
    inner.x = T, inner.width -= 2 * T;
  }
  run_stream<Features>(backend, p, from, to, inner);
  if (rim.count > 0) run_tiles<Features, T>(backend, p, from, to, rim);
}

template <int Features>
LaunchShape shape(const LbmPass& p) {
  if (streams(p)) return cuda_launch_shape(reinterpret_cast<const void*>(stream_kernel<Features>(p)), dim3(warp_size));
  LaunchShape tiles =
      cuda_launch_shape(reinterpret_cast<const void*>(tile_steps<Features, 4>), dim3(TileShape<4>::threads));
  tiles.shared_bytes += TileShape<4>::bytes;
  return tiles;
}

}  // namespace

int lbm_temporal_steps(const LbmPass& pass, int wanted) {
  if (wanted >= stream_steps && streams(pass)) return stream_steps;
  return wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1;
}

void lbm_run_temporal(Backend& backend, const LbmPass& pass, const LbmPopulations<float>& from,
                      const LbmPopulations<float>& to, int features, int steps) {
  lbm_with_features(features, [&](auto constant) { run<decltype(constant)::value>(backend, pass, from, to, steps); });
}

LaunchShape lbm_temporal_shape(const LbmPass& pass, int features) {
  return lbm_with_features(features, [&](auto constant) { return shape<decltype(constant)::value>(pass); });
}

}  // namespace perturb
