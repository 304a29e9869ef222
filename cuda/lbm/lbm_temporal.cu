// Several steps in one pass: 72/T bytes a cell and step, so that arithmetic becomes the bound.
// Two ways, of the same bits.
//
// `stream`, for large grids. A warp owns a strip of 64 columns, two to a lane, and streams upwards. When it has loaded
// row R of level 0 it computes row R-1 of level 1, from that row R-2 of level 2, and so on to row R-T of level T, which
// is written. Row r of level k+1 needs of level k: what goes up from row r-1, what goes level in row r, what comes down
// from row r+1, which has just been computed and is used at once. So between two levels nine numbers a cell wait in
// registers: the three that go up of two rows, and the three that stay level of one. Where there are walls the three
// that go down wait for a row too: then a cell has all nine of its own populations, of which it takes those that a wall
// throws back. Neighbours left and right come by six shuffles for two cells. At a strip's ends they are wrong, by one
// more column each level: strips overlap by T columns on each side and chunks of rows by T rows at each end. Rows
// arrive two ahead by asynchronous copies into shared memory, each lane copying for itself, so that no barrier is
// needed anywhere. Warps of neighbouring strips start side by side on the same rows, so that memory sees whole rows and
// what they share comes from the cache.
//
// Waiting for a row takes registers, and with them warps: most of a flow with walls has none in sight. So the grid is
// cut into bands of 32 rows of a strip. The streams without walls run over everything and leave out the bands from
// which a wall can be felt; those are streams of their own, with walls, and short. Where most bands feel walls, streams
// with walls take everything.
//
// `tiles`, for small grids, and for the rim of large ones. A block steps a tile in shared memory, from T-1 cells
// more on every side down to the tile itself. It knows all kinds of sides. The streams keep T cells away from a side
// that is not periodic: a code that asks at every cell for every kind of side does not fit into registers (and ran
// at a twelfth of the speed).
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
constexpr int cells_of_sector = 32 / static_cast<int>(sizeof(float));
constexpr int band = 32;  // rows
__host__ __device__ inline int strips_of(const Box& box) { return (box.width + useful - 1) / useful; }
__host__ __device__ inline int bands_of(const Box& box) { return (box.height + band - 1) / band; }

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

enum class Streams {
  plain,     // there are no walls
  unmarked,  // leave out bands that feel walls
  walled     // know walls
};

// `box`: the cells to write; T cells around them are read, wrapping. `marked`: of each band, whether `unmarked` leaves
// it out. `list`: the bands that `walled` takes, a block each; null: all, in chunks of so many rows.
template <int Features, Streams streams>
__global__ void __launch_bounds__(warp_size)
    stream(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to, Box box, int rows_of_chunk,
           const std::uint8_t* marked, const int* list) {
  constexpr bool Walls = streams == Streams::walled;
  constexpr int T = stream_steps;
  __shared__ __align__(8) float rows[slots][lbm_links][strip];
  const int lane = static_cast<int>(threadIdx.x);
  int s = static_cast<int>(blockIdx.x), chunk = static_cast<int>(blockIdx.y);
  if (Walls && list) {
    const int place = list[blockIdx.x], strips = strips_of(box);
    s = place % strips, chunk = place / strips, rows_of_chunk = band;
  }
  const int low = box.y + chunk * rows_of_chunk, high = min(low + rows_of_chunk, box.y + box.height);
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
    [[maybe_unused]] bool left_out = false;  // the band that is being written
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
      if constexpr (streams == Streams::unmarked) {
        const int above = done - box.y;
        if (done == low || above % band == 0) left_out = marked[above / band * strips_of(box) + s] != 0;
        if (left_out) continue;
      }
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

// A warp looks from how much of a band a mark can be seen: the cells that the band's last level depends on, but for
// level 0, which nobody computes here.
__global__ void find_marked_bands(View2D<const std::uint8_t> links, Box box, std::uint8_t* marked, int* list,
                                  int* many) {
  constexpr int reach = stream_steps - 1;
  const int strips = strips_of(box), s = static_cast<int>(blockIdx.x), b = static_cast<int>(blockIdx.y);
  const int left = box.x + s * useful - reach, right = min(box.x + (s + 1) * useful, box.x + box.width) + reach;
  const int low = box.y + b * band - reach, high = min(box.y + (b + 1) * band, box.y + box.height) + reach;
  unsigned seen = 0;
  for (int j = low; j < high; ++j) {
    const std::uint8_t* line = links.row(wrap_near(j, links.height));
    for (int i = left + static_cast<int>(threadIdx.x); i < right; i += warp_size)
      seen |= line[wrap_near(i, links.width)];
  }
  const bool any = __any_sync(all_lanes, seen != 0);
  if (threadIdx.x != 0) return;
  const int place = b * strips + s;
  marked[place] = any ? 1 : 0;
  if (any) list[atomicAdd(many, 1)] = place;
}

// Waits for the device when marks have changed: how many bands feel them decides what is launched.
void know_bands(Backend& backend, const LbmPass& p, const Box& box, LbmMarkedBands& bands) {
  if (bands.known) return;
  const auto all = static_cast<std::size_t>(strips_of(box)) * static_cast<std::size_t>(bands_of(box));
  if (bands.marked.size() != all) {
    bands = {};
    bands.marked = Array<std::uint8_t>(backend, all, "bands with walls");
    bands.list = Array<int>(backend, all, "bands with walls");
    bands.count = Array<int>(backend, 1, "bands with walls");
  }
  bands.count.fill_zero();
  {
    const CudaLaunch launch(backend, "lbm.mark_bands");
    const dim3 grid(static_cast<unsigned>(strips_of(box)), static_cast<unsigned>(bands_of(box)));
    find_marked_bands<<<grid, warp_size, 0, launch.stream()>>>(p.links, box, bands.marked.data(), bands.list.data(),
                                                               bands.count.data());
  }
  backend.copy_to_host(&bands.many, bands.count.data(), sizeof bands.many);
  bands.known = true;
}
// So many that streams without walls would run over most of the grid for nothing.
bool walls_everywhere(const LbmMarkedBands& bands) {
  return 5 * static_cast<std::int64_t>(bands.many) > 2 * static_cast<std::int64_t>(bands.marked.size());
}

using StreamKernel = void (*)(LbmPass, LbmPopulations<float>, LbmPopulations<float>, Box, int, const std::uint8_t*,
                              const int*);

template <int Features>
void run_stream(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
                Box box, LbmMarkedBands& bands) {
  const std::uint8_t* left_out = nullptr;
  bool everywhere = false;
  if (p.painted) {
    know_bands(backend, p, box, bands);
    everywhere = walls_everywhere(bands);
    if (!everywhere && bands.many > 0) {
      left_out = bands.marked.data();
      const CudaLaunch launch(backend, "lbm.temporal_walls");
      stream<Features, Streams::walled><<<static_cast<unsigned>(bands.many), warp_size, 0, launch.stream()>>>(
          p, from, to, box, band, nullptr, bands.list.data());
    }
  }
  const StreamKernel kernel = everywhere ? stream<Features, Streams::walled>
                              : left_out ? stream<Features, Streams::unmarked>
                                         : stream<Features, Streams::plain>;
  const int places = cuda_resident_blocks(reinterpret_cast<const void*>(kernel), warp_size);
  // Chunks so that the warps fill the device a whole number of times, and high enough that their overlap stays small.
  constexpr int overlap = 2 * stream_steps, least_rows = 4 * stream_steps;
  const int strips = strips_of(box);
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
  kernel<<<grid, warp_size, 0, launch.stream()>>>(p, from, to, box, chunk, left_out, nullptr);
}

// ---- tiles

// A tile's cells, its frame of T-1 more on every side, and threads for it.
template <int T>
struct GridTile {
  static constexpr int width = 64, height = 16, halo = T - 1, threads = 512;
  static constexpr int most_cells(int reach) { return (width + 2 * reach) * (height + 2 * reach); }
  __device__ static GridTile of(int, int) { return {}; }
};
// Along a side: as many cells as there are threads, so that each level is done in one go.
template <int T>
struct RimTile {
  int width, height;
  static constexpr int halo = T - 1, threads = 512;
  static constexpr int most_cells(int) { return threads; }
  __device__ static RimTile of(int w, int h) { return {w, h}; }
};
template <class Tile>
constexpr int tile_cells = Tile::most_cells(Tile::halo);
template <class Tile>
constexpr int tile_bytes = lbm_links* tile_cells<Tile>* static_cast<int>(sizeof(float));

// Boxes to cover with tiles.
struct TileList {
  struct Part {
    Box box;
    int width, height;  // of a tile
    __host__ __device__ int across() const { return (box.width + width - 1) / width; }
    __host__ __device__ int tiles() const { return across() * ((box.height + height - 1) / height); }
  };
  Part part[4];
  int count = 0;
  void add(const Box& box, int width, int height) { part[count++] = {box, width, height}; }
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
template <int Features, int Cells>
__device__ inline void step_in_frame(const LbmPass& p, const float* held, int pitch, int n, int a, int b,
                                     float (&g)[lbm_links]) {
  const int mask = p.links.empty() ? 0 : p.links(a, b);
  if (mask == lbm_wall_mark) {
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
    lbm_answer_all(p, own, mask, a, b, g);
  }
  lbm_collide<Features>(g, p.rates);
}

// Level L of the frame, in place: read, wait, write, wait. `box`: the cells of this tile, which may be
// fewer than a whole one's.
template <int Features, int L, class Tile>
__device__ inline void level_in_place(const LbmPass& p, float* held, Tile tile, Box box) {
  constexpr int reach = Tile::halo + 1 - L;  // cells beyond the tile that this level has
  constexpr int rounds = (Tile::most_cells(reach) + Tile::threads - 1) / Tile::threads;
  const int width = tile.width + 2 * reach, cells = width * (tile.height + 2 * reach);
  const int pitch = tile.width + 2 * Tile::halo;
  float g[rounds][lbm_links];
  const int right = box.width + 2 * reach, top = box.height + 2 * reach;
#pragma unroll
  for (int r = 0; r < rounds; ++r) {
    const int k = static_cast<int>(threadIdx.x) + r * Tile::threads, x = k % width, y = k / width;
    int a, b;
    if (k < cells && x < right && y < top && place_in_grid(p, box.x - reach + x, box.y - reach + y, a, b))
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
__device__ inline void levels_in_place(const LbmPass& p, float* held, Tile tile, Box box) {
  if constexpr (L <= Tile::halo) {
    level_in_place<Features, L>(p, held, tile, box);
    levels_in_place<Features, L + 1>(p, held, tile, box);
  }
}

template <int Features, class Tile>
__global__ void __launch_bounds__(Tile::threads, 2)
    tile_steps(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to, TileList list) {
  extern __shared__ float held[];  // [link][row][column] of the frame
  int n = static_cast<int>(blockIdx.x);
  TileList::Part part = list.part[0];
#pragma unroll
  for (int k = 1; k < 4; ++k) {
    const int tiles = part.tiles();
    if (n < tiles || k >= list.count) break;
    n -= tiles, part = list.part[k];
  }
  const Tile tile = Tile::of(part.width, part.height);
  const int across = part.across();
  Box box;
  box.x = part.box.x + n % across * tile.width, box.y = part.box.y + n / across * tile.height;
  box.width = min(tile.width, part.box.x + part.box.width - box.x);
  box.height = min(tile.height, part.box.y + part.box.height - box.y);

  // Level 1 straight from the grid.
  constexpr int halo = Tile::halo;
  const int pitch = tile.width + 2 * halo, cells = pitch * (tile.height + 2 * halo);
  const int right = box.width + 2 * halo, top = box.height + 2 * halo;
  for (int k = static_cast<int>(threadIdx.x); k < cells; k += Tile::threads) {
    const int x = k % pitch, y = k / pitch;
    int a, b;
    if (x >= right || y >= top || !place_in_grid(p, box.x - halo + x, box.y - halo + y, a, b)) continue;
    const int mask = p.links.empty() ? 0 : p.links(a, b);
    float g[lbm_links] = {};
    if (mask != lbm_wall_mark) {
      lbm_gather(p, from, mask, a, b, g);
      lbm_collide<Features>(g, p.rates);
    }
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) held[q * tile_cells<Tile> + k] = g[q];
  }
  __syncthreads();
  levels_in_place<Features, 2>(p, held, tile, box);
  // The last level straight to the grid.
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
void run_tiles(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
               const TileList& list) {
  static const bool prepared = [] {
    PERTURB_CUDA_CHECK(cudaFuncSetAttribute(tile_steps<Features, Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            tile_bytes<Tile>));
    return true;
  }();
  (void)prepared;
  int blocks = 0;
  for (int k = 0; k < list.count; ++k) blocks += list.part[k].tiles();
  const CudaLaunch launch(backend, "lbm.temporal_tiles");
  tile_steps<Features, Tile>
      <<<static_cast<unsigned>(blocks), Tile::threads, tile_bytes<Tile>, launch.stream()>>>(p, from, to, list);
}

// ---- which

// Cells below which tiles are faster: their blocks of 16 warps find work for every processor sooner. Measured on an
// H200; beside sides or walls the streams have more to do.
constexpr std::int64_t least_cells_of_streams = 700 * 700, least_cells_beside_walls = 1536 * 1536;
bool streams(const LbmPass& p) {
  const std::int64_t cells = static_cast<std::int64_t>(p.width) * p.height;
  return p.width >= 2 * strip && p.height >= 2 * strip &&
         cells >= (p.links.empty() ? least_cells_of_streams : least_cells_beside_walls);
}

template <int Features>
void run(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
         int steps, LbmMarkedBands& bands) {
  const Box whole{0, 0, p.width, p.height};
  if (steps != stream_steps) {
    TileList list;
    list.add(whole, GridTile<4>::width, GridTile<4>::height);
    if (steps == 2)
      run_tiles<Features, GridTile<2>>(backend, p, from, to, list);
    else
      run_tiles<Features, GridTile<4>>(backend, p, from, to, list);
    return;
  }
  constexpr int T = stream_steps, frame = RimTile<T>::halo;
  Box inner = whole;
  TileList rim;
  if (p.bottom.kind != LbmBoundary::periodic) {
    constexpr int width = RimTile<T>::threads / (T + 2 * frame) - 2 * frame;
    rim.add({0, 0, p.width, T}, width, T), rim.add({0, p.height - T, p.width, T}, width, T);
    inner.y = T, inner.height -= 2 * T;
  }
  if (p.left.kind != LbmBoundary::periodic) {
    // Columns up to a boundary of memory sectors: strips that begin within one share it with their neighbours.
    constexpr int margin = (T + cells_of_sector - 1) / cells_of_sector * cells_of_sector;
    constexpr int height = RimTile<T>::threads / (margin + 2 * frame) - 2 * frame;
    rim.add({0, inner.y, margin, inner.height}, margin, height);
    rim.add({p.width - margin, inner.y, margin, inner.height}, margin, height);
    inner.x = margin, inner.width -= 2 * margin;
  }
  run_stream<Features>(backend, p, from, to, inner, bands);
  if (rim.count > 0) run_tiles<Features, RimTile<T>>(backend, p, from, to, rim);
}

template <int Features>
LaunchShape shape(const LbmPass& p) {
  if (streams(p)) {
    const StreamKernel kernel = p.painted ? stream<Features, Streams::unmarked> : stream<Features, Streams::plain>;
    return cuda_launch_shape(reinterpret_cast<const void*>(kernel), dim3(warp_size));
  }
  LaunchShape tiles =
      cuda_launch_shape(reinterpret_cast<const void*>(tile_steps<Features, GridTile<4>>), dim3(GridTile<4>::threads));
  tiles.shared_bytes += tile_bytes<GridTile<4>>;
  return tiles;
}

}  // namespace

int lbm_temporal_steps(const LbmPass& pass, int wanted) {
  if (wanted >= stream_steps && streams(pass)) return stream_steps;
  return wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1;
}

void lbm_run_temporal(Backend& backend, const LbmPass& pass, const LbmPopulations<float>& from,
                      const LbmPopulations<float>& to, int features, int steps, LbmMarkedBands& bands) {
  lbm_with_features(features,
                    [&](auto constant) { run<decltype(constant)::value>(backend, pass, from, to, steps, bands); });
}

LaunchShape lbm_temporal_shape(const LbmPass& pass, int features) {
  return lbm_with_features(features, [&](auto constant) { return shape<decltype(constant)::value>(pass); });
}

}  // namespace perturb
