// Streams: six steps of the flow in one pass over memory, for large grids. 72/6 bytes a cell and step, so that
// arithmetic becomes the bound.
//
// Strips and chunks. Each warp owns a strip of 64 columns, two per lane, and moves upwards through a chunk of rows.
// Warps are independent: there is no barrier. The price is redundant work. A step moves a population by one cell, so at
// each level one more column and one more row at the edges of the loaded cells are wrong. Strips therefore overlap by T
// columns and chunks by T rows at both ends, and each warp writes only the cells that are right at level T:
//
//       strip s      ::::::########################::::::
//       strip s+1                            ::::::########################::::::        columns ->
//
//       #  right at level T, written        :  loaded; from its end one more column is wrong at each level
//
// Warps of neighbouring strips start next to each other on the same rows, so that memory sees whole rows and shared
// cells come from the cache.
//
// The sweep. A sweep is the work between two loads. The sweep that loads row R of level 0 computes row R-1 of level 1,
// from that row R-2 of level 2, and so on to row R-T of level T, which is written. Row r of level k+1 gathers from
// level k by the direction of each population:
//
//                                 row r+1    links 4 7 8, which go down:  computed by this same sweep
//         level k, for            row r      links 0 1 3, which stay:     kept since the previous sweep
//         row r of level k+1:     row r-1    links 2 5 6, which go up:    kept since the sweep before that
//
// Populations that go down are thus used at once, and parts of two rows are kept in registers (struct Waiting): nine
// numbers per cell and level, instead of the 27 of three whole rows. Where there are walls the row that goes down is
// kept for one row too: a cell then has all nine of its own populations, and takes from them those that a wall
// reflects. Left and right neighbours come by six shuffles for two cells.
//
// Loads. Rows arrive two ahead by asynchronous copies into shared memory. Each lane copies for itself and therefore
// waits for no other lane.
//
// Walls. Keeping that extra row takes registers and so reduces the number of warps, but most of a flow is far from
// walls.
// The grid is therefore cut into bands of 32 rows of a strip. The streams without walls run over everything, but do not
// write the bands that a wall can affect. Those have short streams of their own, with walls. Where walls affect most
// bands, streams with walls compute everything.
//
//           strip 0      strip 1      strip 2
//         +------------+------------+------------+
//         |            |            |            |    `unmarked` streams run up through all bands of a strip, and write
//         +------------+------------+------------+    those without an asterisk
//         |            |  * (wall)  |  *         |    a `walled` stream for each band that a wall can affect, which may
//         +------------+------------+------------+    lie up to T - 1 cells beyond it
//         |            |            |            |
//         +------------+------------+------------+
//
// Sides. Streams support only periodic sides: columns and rows wrap as they are loaded. They stay T cells away from any
// other side, where tiles compute the boundary cells (kernels/tiles.cu). Code that checks at every cell for every type
// of side does not fit into registers, and ran at a twelfth of the speed.
#include <cstdint>

#include <cuda_pipeline_primitives.h>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"

namespace perturb::lbm {

namespace {

// T. Each lane has two cells; between two levels it keeps nine numbers of each in registers, twelve with walls: 108 and
// 144 in all at six levels. Six is the most that fits into 255 registers, with walls, in addition to the collision.
constexpr int stream_steps = lbm_stream_steps;
// 52 of a strip's 64 columns are useful. With one cell per lane it would be 20 of 32; with four, six levels would not
// fit into the registers.
constexpr int cells_of_lane = stream_cells_of_lane, strip = lbm_strip, useful = useful_stream_columns;
// Rows being loaded, and the slots of 2304 bytes in shared memory for them and the row in use.
constexpr int rows_ahead = 2, slots = rows_ahead + 1;
// Rows of a band, which is affected by walls as a whole or not at all. A stream with walls also computes 12 rows of
// overlap: lower bands have more overlap, higher bands more rows that no wall can affect.
constexpr int band = 32;
__host__ __device__ inline int strips_of(const SweepBox& box) { return stream_strips(box); }
__host__ __device__ inline int bands_of(const SweepBox& box) { return (box.height + band - 1) / band; }

// Coordinates are at most a strip beyond the grid.
__device__ inline int wrap_near(int i, int count) { return i < 0 ? i + count : i >= count ? i - count : i; }

// Values kept of one level: [population][cell of the lane].
template <bool Walls>
struct Waiting {
  float up_before[3][cells_of_lane];         // links 2, 5, 6 of the row before
  float up[3][cells_of_lane];                // the same of the row itself
  float level[3][cells_of_lane];             // links 0, 1, 3
  float down[Walls ? 3 : 1][cells_of_lane];  // links 4, 7, 8
};
using Cells = float[lbm_links][cells_of_lane];

// Values that a lane gets from its left and right neighbours: `out[c]` is the value of column c-1 (or c+1) of the
// strip.
__device__ inline void from_left(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = __shfl_up_sync(whole_warp, value[1], 1);
  out[1] = value[0];
}
__device__ inline void from_right(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = value[1];
  out[1] = __shfl_down_sync(whole_warp, value[0], 1);
}

// Advances a row through all levels. `marks[k]`: boundary links of the row that level k computes, one byte per cell of
// the lane. `Answers`: some of them are not zero.
template <int Features, bool Walls, bool Answers>
__device__ inline void rise(Waiting<Walls> (&waiting)[stream_steps], const unsigned (&boundary_links)[stream_steps],
                            const Rates& rates, Cells& fresh) {
#pragma unroll
  for (int k = 0; k < stream_steps; ++k) {
    // Row `row - k` of level k is new; with the kept values it gives row `row - k - 1` of level k+1.
    Waiting<Walls>& w = waiting[k];
    Cells arrived, result;
    bool exceeds[cells_of_lane], any_exceeds = false;
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
        const unsigned mask = boundary_links[k] >> (8 * c);
#pragma unroll
        for (int q = 1; q < lbm_links; ++q) g[q] = (mask & (1u << (q - 1))) != 0 ? own[lbm_opposite(q)] : g[q];
      }
      exceeds[c] = lbm_exceeds(lbm_collide_freely<Features>(g, rates));
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) result[q][c] = g[q];
    }
    // One branch for all cells of the lane, after their collisions: otherwise it would prevent them from overlapping.
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) any_exceeds = any_exceeds || exceeds[c];
    if (any_exceeds) [[unlikely]] {
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) {
        if (!exceeds[c]) continue;
        float g[lbm_links];
#pragma unroll
        for (int q = 0; q < lbm_links; ++q) g[q] = result[q][c];
        lbm_limit(g);
#pragma unroll
        for (int q = 0; q < lbm_links; ++q) result[q][c] = g[q];
      }
    }
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) {
#pragma unroll
      for (int n = 0; n < 3; ++n) w.up_before[n][c] = w.up[n][c];
      w.up[0][c] = fresh[2][c];
      w.up[1][c] = fresh[5][c];
      w.up[2][c] = fresh[6][c];
      w.level[0][c] = fresh[0][c];
      w.level[1][c] = fresh[1][c];
      w.level[2][c] = fresh[3][c];
      if constexpr (Walls) {
        w.down[0][c] = fresh[4][c];
        w.down[1][c] = fresh[7][c];
        w.down[2][c] = fresh[8][c];
      }
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
  unmarked,  // skip bands affected by walls
  walled     // handle walls
};

// `box`: the cells to write; T cells around them are read, wrapping. `marked`: for each band, whether `unmarked` skips
// it. `list`: the bands of `walled`, one block each; null: all, in chunks of the given number of rows.
template <int Features, Streams streams>
__global__ void __launch_bounds__(warp_size)
    stream(StepParams p, Populations<float> from, Populations<float> to, SweepBox box, int rows_of_chunk,
           const std::uint8_t* marked, const int* list) {
  constexpr bool Walls = streams == Streams::walled;
  constexpr int T = stream_steps;
  __shared__ __align__(8) float rows[slots][lbm_links][strip];
  const int lane = static_cast<int>(threadIdx.x);
  int s = static_cast<int>(blockIdx.x), chunk = static_cast<int>(blockIdx.y);
  if (Walls && list) {
    const int place = list[blockIdx.x], strips = strips_of(box);
    s = place % strips;
    chunk = place / strips;
    rows_of_chunk = band;
  }
  const int low = box.y + chunk * rows_of_chunk, high = min(low + rows_of_chunk, box.y + box.height);
  {
    const int first = stream_column(box, s, lane);  // this lane's columns, before wrapping
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
    const auto links_of_row = [&](int row) -> unsigned {
      const std::uint8_t* line = p.links.row(wrap_near(row, p.height));
      if (paired) return *reinterpret_cast<const std::uint16_t*>(line + first);
      return line[column[0]] | static_cast<unsigned>(line[column[1]]) << 8;
    };

    Waiting<Walls> waiting[T];
    unsigned boundary_links[T] = {},
             marked_rows = 0;  // bit k of the latter: whether any lane has marks in level k's row
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
    [[maybe_unused]] bool left_out = false;  // the band being written
    for (int row = begin; row < end; ++row) {
      // Exactly one group per row, so that the number of pending groups stays constant.
      fetch(min(row + rows_ahead, end), slot + rows_ahead < slots ? slot + rows_ahead : slot + rows_ahead - slots);
      unsigned next_links = 0;
      if constexpr (Walls) {
        next_links = links_of_row(row);  // needed one row later, so nothing waits for it now
        marked_rows = (marked_rows << 1 | (__any_sync(whole_warp, boundary_links[0] != 0) ? 1u : 0u)) & ((1u << T) - 1);
      }
      __pipeline_wait_prior(rows_ahead);
      Cells fresh;
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) {
        const float2 both = *reinterpret_cast<const float2*>(&rows[slot][q][cells_of_lane * lane]);
        fresh[q][0] = both.x;
        fresh[q][1] = both.y;
      }
      slot = slot + 1 < slots ? slot + 1 : 0;

      const int done = row - T;
      if (Walls && marked_rows != 0) {
        rise<Features, Walls, true>(waiting, boundary_links, p.rates, fresh);
        // Walls store nothing.
#pragma unroll
        for (int c = 0; c < cells_of_lane; ++c)
          if ((boundary_links[T - 1] >> (8 * c) & 255u) == all_links) {
#pragma unroll
            for (int q = 0; q < lbm_links; ++q) fresh[q][c] = 0.f;
          }
      } else {
        rise<Features, Walls, false>(waiting, boundary_links, p.rates, fresh);
      }
      if constexpr (Walls) {
#pragma unroll
        for (int k = T - 1; k > 0; --k) boundary_links[k] = boundary_links[k - 1];
        boundary_links[0] = next_links;
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

// One warp per band: whether the cells that the band's last level depends on contain a boundary link. Level 0 does not
// count: no stream computes it.
__global__ void find_marked_bands(View2D<const std::uint8_t> links, SweepBox box, std::uint8_t* marked, int* list,
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
  const bool any = __any_sync(whole_warp, seen != 0);
  if (threadIdx.x != 0) return;
  const int place = b * strips + s;
  marked[place] = any ? 1 : 0;
  if (any) list[atomicAdd(many, 1)] = place;
}

// Waits for the device once after each change of the boundary links: the launches depend on the number of affected
// bands.
void find_bands(Backend& backend, const StepParams& p, const SweepBox& box, MarkedBands& bands) {
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
// Whether walls affect more than two fifths of the bands. Streams without walls would then run over most of the grid
// for nothing, so streams with walls compute all of it.
bool walls_everywhere(const MarkedBands& bands) {
  return 5 * static_cast<std::int64_t>(bands.many) > 2 * static_cast<std::int64_t>(bands.marked.size());
}

using StreamKernel = void (*)(StepParams, Populations<float>, Populations<float>, SweepBox, int, const std::uint8_t*,
                              const int*);

// For all of the grid, or for the bands that no wall affects.
template <int Features>
StreamKernel stream_kernel(bool everywhere, bool leaves_out) {
  return everywhere   ? stream<Features, Streams::walled>
         : leaves_out ? stream<Features, Streams::unmarked>
                      : stream<Features, Streams::plain>;
}

template <int Features>
void run_stream(Backend& backend, const StepParams& p, const Populations<float>& from, const Populations<float>& to,
                const SweepBox& box, MarkedBands& bands) {
  const std::uint8_t* left_out = nullptr;
  bool everywhere = false;
  if (p.painted) {
    find_bands(backend, p, box, bands);
    everywhere = walls_everywhere(bands);
    if (!everywhere && bands.many > 0) {
      left_out = bands.marked.data();
      const CudaLaunch launch(backend, "lbm.temporal_walls");
      stream<Features, Streams::walled><<<static_cast<unsigned>(bands.many), warp_size, 0, launch.stream()>>>(
          p, from, to, box, band, nullptr, bands.list.data());
    }
  }
  const StreamKernel kernel = stream_kernel<Features>(everywhere, left_out != nullptr);
  const int chunk = stream_rows(box, cuda_resident_blocks(reinterpret_cast<const void*>(kernel), warp_size));
  const dim3 grid(static_cast<unsigned>(strips_of(box)), static_cast<unsigned>((box.height + chunk - 1) / chunk));
  const CudaLaunch launch(backend, "lbm.temporal");
  kernel<<<grid, warp_size, 0, launch.stream()>>>(p, from, to, box, chunk, left_out, nullptr);
}

}  // namespace

void run_streams(Backend& backend, const StepParams& params, const Populations<float>& from,
                 const Populations<float>& to, int features, const SweepBox& box, MarkedBands& bands) {
  with_features(features,
                [&](auto constant) { run_stream<decltype(constant)::value>(backend, params, from, to, box, bands); });
}

int streams_resident(const StepParams& params, int features, const MarkedBands& bands) {
  const bool everywhere = params.painted && bands.known && walls_everywhere(bands);
  const bool leaves_out = params.painted && !everywhere && (!bands.known || bands.many > 0);
  return with_features(features, [&](auto constant) {
    const StreamKernel kernel = stream_kernel<decltype(constant)::value>(everywhere, leaves_out);
    return cuda_resident_blocks(reinterpret_cast<const void*>(kernel), warp_size);
  });
}

LaunchShape streams_shape(const StepParams& params, int features) {
  return with_features(features, [&](auto constant) {
    constexpr int Features = decltype(constant)::value;
    const StreamKernel kernel = params.painted ? stream<Features, Streams::unmarked> : stream<Features, Streams::plain>;
    return cuda_launch_shape(reinterpret_cast<const void*>(kernel), dim3(warp_size));
  });
}

}  // namespace perturb::lbm
