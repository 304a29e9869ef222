// The flow's CUDA kernels. Every one of them gives the bits of lbm_cell_step.
//
// A step by itself has to read and write nine populations: 72 bytes a cell in FP32, 36 in 16 bits, and a byte of marks. It takes
// some 70 instructions, so that alone it is bound by memory.
//
//   unsplit    The source's starting point (Carrillo, Siegel & Li 2010): a boundary kernel whose one loop runs over rows and
//              columns, then a kernel for velocities and densities that branches on solid or fluid.
//   split      The source's result: a loop for the rows and one for the columns in kernels of their own, and an if-kernel and an
//              else-kernel for what the branch did.
//   fused      One kernel, a thread per cell.
//   half       Two cells a thread, so that accesses have four bytes; sideways neighbours come by shuffle.
//   in-place   The AA pattern (Bailey, Myre, Walsh, Lilja & Saar 2009). An odd step reads what arrives at a cell and writes what
//              leaves it to the same places, each where it will arrive; so an even step finds everything in its own cell. Links
//              that a wall answers have a place that no other cell uses: there the answer is left, ready.
//   temporal   Several steps in one pass: 72/T bytes a cell and step, so that arithmetic becomes the bound.
//
// How `temporal` works. A warp owns a strip of 64 columns, two to a lane, and streams upwards. When it has loaded row R of level
// 0 it computes row R-1 of level 1, from that row R-2 of level 2, and so on to row R-T of level T, which is written. Row r of
// level k+1 needs of level k: what goes up from row r-1, what goes level in row r, what comes down from row r+1, which has just
// been computed and is used at once. So between two levels nine numbers a cell wait in registers: the three that go up of two
// rows, and the three that stay level of one. Where there are walls or sides the three that go down wait for a row too: then a
// cell has all nine of its own populations, which is all that an answer needs. Neighbours left and right come by six shuffles
// for two cells. At a strip's ends they are wrong, by one more column each level: strips overlap by T columns on each side and
// chunks of rows by T rows at each end. Rows arrive two ahead by asynchronous copies into shared memory, each lane copying for
// itself, so that no barrier is needed anywhere.
#include <algorithm>
#include <cstdint>

#include <cuda_pipeline_primitives.h>

#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/core/parallel_for.h"
#include "cuda/lbm/lbm_kernels.h"

namespace perturb {

namespace {

constexpr int warp_size = 32;
constexpr int both_features = lbm_forced | lbm_eddies;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int marks_of(const LbmPass& p, int i, int j) { return p.links.empty() ? 0 : p.links(i, j); }
__device__ inline bool is_solid(const LbmPass& p, int mask, int i, int j) {
  return mask == 255 && lbm_is_wall(p, i, j);
}

// ---- unsplit and split

// What arrives at a cell of the rim, left in `to` for the second kernel. (Called in loops over both ends: written twice in a
// row, the call makes CUDA 13.0's compiler crash.)
__device__ inline void gather_rim(const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
                                  int i, int j) {
  const int mask = marks_of(p, i, j);
  if (is_solid(p, mask, i, j)) return;  // the second kernel takes care of it
  float g[lbm_links];
  lbm_gather(p, from, mask, i, j, g);
  to.store(i, j, g);
}
__device__ inline bool on_rim(const LbmPass& p, int i, int j) {
  return i == 0 || j == 0 || i == p.width - 1 || j == p.height - 1;
}

__global__ void __launch_bounds__(256)
    boundary_rows_and_columns(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to) {
  const int count = max(p.width, p.height);
  for (int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); k < count;
       k += static_cast<int>(gridDim.x * blockDim.x)) {
    if (k < p.height)
      for (int end = 0; end < 2; ++end) gather_rim(p, from, to, end == 0 ? 0 : p.width - 1, k);
    if (k > 0 && k < p.width - 1)
      for (int end = 0; end < 2; ++end) gather_rim(p, from, to, k, end == 0 ? 0 : p.height - 1);
  }
}
__global__ void __launch_bounds__(256) boundary_rows(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k < p.height)
    for (int end = 0; end < 2; ++end) gather_rim(p, from, to, end == 0 ? 0 : p.width - 1, k);
}
__global__ void __launch_bounds__(256)
    boundary_columns(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k > 0 && k < p.width - 1)
    for (int end = 0; end < 2; ++end) gather_rim(p, from, to, k, end == 0 ? 0 : p.height - 1);
}

template <int Features>
__device__ inline void fluid_cell(const LbmPass& p, const LbmPopulations<float>& from, const LbmPopulations<float>& to,
                                  int mask, int i, int j) {
  float g[lbm_links];
  if (on_rim(p, i, j))
    to.load(i, j, g);
  else
    lbm_gather(p, from, mask, i, j, g);
  lbm_collide<Features>(g, p.rates);
  to.store(i, j, g);
}
__device__ inline void solid_cell(const LbmPopulations<float>& to, int i, int j) {
  for (int q = 0; q < lbm_links; ++q) to.set(q, i, j, 0.f);
}

// `Branch`: 0 both, 1 the fluid alone, 2 the solid alone.
template <int Features, int Branch>
__global__ void __launch_bounds__(256)
    velocities_and_densities(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    if (i >= p.width) return;
    const int mask = marks_of(p, i, j);
    if (is_solid(p, mask, i, j)) {
      if (Branch != 1) solid_cell(to, i, j);
    } else if (Branch != 2) {
      fluid_cell<Features>(p, from, to, mask, i, j);
    }
  }
}

dim3 cell_block() { return {64, 4}; }
dim3 cell_grid(int width, int height) {
  return {static_cast<unsigned>((width + 63) / 64), static_cast<unsigned>(std::min((height + 3) / 4, 65535))};
}
unsigned blocks_of(int count) { return static_cast<unsigned>((count + 255) / 256); }

template <int Features>
void step_unsplit(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from,
                  const LbmPopulations<float>& to) {
  {
    const CudaLaunch launch(backend, "lbm.boundary");
    boundary_rows_and_columns<<<blocks_of(std::max(p.width, p.height)), 256, 0, launch.stream()>>>(p, from, to);
  }
  const CudaLaunch launch(backend, "lbm.velocities");
  velocities_and_densities<Features, 0>
      <<<cell_grid(p.width, p.height), cell_block(), 0, launch.stream()>>>(p, from, to);
}
template <int Features>
void step_split(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from,
                const LbmPopulations<float>& to) {
  {
    const CudaLaunch launch(backend, "lbm.boundary_rows");
    boundary_rows<<<blocks_of(p.height), 256, 0, launch.stream()>>>(p, from, to);
  }
  {
    const CudaLaunch launch(backend, "lbm.boundary_columns");
    boundary_columns<<<blocks_of(p.width), 256, 0, launch.stream()>>>(p, from, to);
  }
  {
    const CudaLaunch launch(backend, "lbm.if_kernel");
    velocities_and_densities<Features, 1>
        <<<cell_grid(p.width, p.height), cell_block(), 0, launch.stream()>>>(p, from, to);
  }
  const CudaLaunch launch(backend, "lbm.else_kernel");
  velocities_and_densities<Features, 2>
      <<<cell_grid(p.width, p.height), cell_block(), 0, launch.stream()>>>(p, from, to);
}

// ---- half

template <int Features>
__global__ void __launch_bounds__(256) half_pairs(LbmPass p, LbmPopulations<Half> from, LbmPopulations<Half> to) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), i = 2 * pair;
  // Lanes beyond the row read its last pair, so that all can shuffle.
  const int at = min(i, p.width - 2);
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    const int below = j > 0 ? j - 1 : p.height - 1, above = j + 1 < p.height ? j + 1 : 0;
    float a[lbm_links], b[lbm_links];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
      const int row = lbm_ey(q) > 0 ? below : lbm_ey(q) < 0 ? above : j;
      const Half* line = from.row(q, row);
      const unsigned both = *reinterpret_cast<const unsigned*>(line + at);
      const unsigned low = both & 0xffffu, high = both >> 16;
      unsigned first = low, second = high;
      if (lbm_ex(q) > 0) {
        unsigned before = __shfl_up_sync(all_lanes, high, 1);
        if (lane == 0 || i != at) before = line[at > 0 ? at - 1 : p.width - 1].bits;
        first = before, second = low;
      } else if (lbm_ex(q) < 0) {
        unsigned after = __shfl_down_sync(all_lanes, low, 1);
        if (lane == warp_size - 1 || at + 2 >= p.width) after = line[at + 2 < p.width ? at + 2 : 0].bits;
        first = high, second = after;
      }
      a[q] = lbm_read(Half{static_cast<std::uint16_t>(first)});
      b[q] = lbm_read(Half{static_cast<std::uint16_t>(second)});
    }
    if (i != at) continue;
    int marks = 0;
    if (!p.links.empty()) marks = *reinterpret_cast<const std::uint16_t*>(p.links.row(j) + i);
    if (marks != 0) {
      lbm_cell_step<Half, Features>(p, from, to, i, j);
      lbm_cell_step<Half, Features>(p, from, to, i + 1, j);
      continue;
    }
    lbm_collide<Features>(a, p.rates);
    lbm_collide<Features>(b, p.rates);
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
      Half low, high;
      lbm_write(low, a[q]), lbm_write(high, b[q]);
      *reinterpret_cast<unsigned*>(to.row(q, j) + i) =
          static_cast<unsigned>(low.bits) | (static_cast<unsigned>(high.bits) << 16);
    }
  }
}

// ---- in place

// An outlet's answer needs all nine populations of its cell, which the odd step's neighbours overwrite. So it is made before
// that step, and left in the place that only this cell uses. Each cell of the rim once.
__device__ inline void prepare_outlet(const LbmPass& p, const LbmPopulations<float>& f, int i, int j) {
  const int mask = marks_of(p, i, j);
  if (mask == 0 || is_solid(p, mask, i, j)) return;
  float own[lbm_links];
  f.load(i, j, own);
#pragma unroll
  for (int q = 1; q < lbm_links; ++q) {
    if (!(mask & (1 << (q - 1)))) continue;
    const LbmCrossing crossing = lbm_crossing(p, q, i, j);
    if (crossing.any && crossing.side.kind == LbmBoundary::outlet)
      f.set(lbm_opposite(q), i, j, lbm_outlet_answer(p.rates, own, q));
  }
}
__global__ void __launch_bounds__(256) in_place_outlets(LbmPass p, LbmPopulations<float> f) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int end = 0; end < 2; ++end) {
    if (k < p.height && (end == 0 || p.width > 1)) prepare_outlet(p, f, end == 0 ? 0 : p.width - 1, k);
    if (k > 0 && k < p.width - 1) prepare_outlet(p, f, k, end == 0 ? 0 : p.height - 1);
  }
}
bool has_outlet(const LbmPass& p) {
  return p.left.kind == LbmBoundary::outlet || p.right.kind == LbmBoundary::outlet ||
         p.bottom.kind == LbmBoundary::outlet || p.top.kind == LbmBoundary::outlet;
}

// From populations in their own cells to populations where they will arrive. `last`: no even step follows; answers are left out.
template <int Features>
__global__ void __launch_bounds__(256) in_place_odd(LbmPass p, LbmPopulations<float> f, bool last) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= p.width) return;
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    const int mask = marks_of(p, i, j);
    if (is_solid(p, mask, i, j)) continue;
    float g[lbm_links];
    lbm_gather(p, f, 0, i, j, g);
    if (mask != 0) {
#pragma unroll
      for (int q = 1; q < lbm_links; ++q) {
        if (!(mask & (1 << (q - 1)))) continue;
        const LbmCrossing crossing = lbm_crossing(p, q, i, j);
        g[q] = f.at(lbm_opposite(q), i, j);
        if (crossing.any && crossing.side.kind != LbmBoundary::outlet)
          g[q] = g[q] + lbm_side_push(p, crossing, q, i, j);
      }
    }
    lbm_collide<Features>(g, p.rates);
    float answers[lbm_links];
    if (mask != 0) {
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) answers[q] = g[lbm_opposite(q)];
      if (!last) lbm_answer_all(p, g, mask, i, j, answers);
    }
    const int left = i > 0 ? i - 1 : p.width - 1, right = i + 1 < p.width ? i + 1 : 0;
    const int below = j > 0 ? j - 1 : p.height - 1, above = j + 1 < p.height ? j + 1 : 0;
    f.set(0, i, j, g[0]);
#pragma unroll
    for (int q = 1; q < lbm_links; ++q) {
      const int a = lbm_ex(q) > 0   ? left
                    : lbm_ex(q) < 0 ? right
                                    : i,
                b = lbm_ey(q) > 0   ? below
                    : lbm_ey(q) < 0 ? above
                                    : j;
      if (mask & (1 << (q - 1)))
        f.set(lbm_opposite(q), i, j, answers[q]);
      else
        f.set(q, a, b, g[lbm_opposite(q)]);
    }
  }
}
template <int Features>
__global__ void __launch_bounds__(256) in_place_even(LbmPass p, LbmPopulations<float> f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= p.width) return;
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    if (is_solid(p, marks_of(p, i, j), i, j)) continue;
    float g[lbm_links];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) g[q] = f.at(lbm_opposite(q), i, j);
    lbm_collide<Features>(g, p.rates);
    f.store(i, j, g);
  }
}
// After an odd step without an even one: every pair of places that two cells share is exchanged.
__global__ void __launch_bounds__(256) in_place_return(LbmPass p, LbmPopulations<float> f) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= p.width) return;
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    const int mask = marks_of(p, i, j);
    if (is_solid(p, mask, i, j)) continue;
#pragma unroll
    for (int q = 1; q < lbm_links; ++q) {
      if (q != 1 && q != 2 && q != 5 && q != 8) continue;  // one of each pair
      if (mask & (1 << (q - 1))) continue;
      const int a = lbm_wrap(i - lbm_ex(q), p.width), b = lbm_wrap(j - lbm_ey(q), p.height);
      const float there = f.at(q, a, b), here = f.at(lbm_opposite(q), i, j);
      f.set(q, a, b, here), f.set(lbm_opposite(q), i, j, there);
    }
  }
}

template <int Features>
void step_in_place(Backend& backend, const LbmPass& p, const LbmPopulations<float>& f, int steps) {
  const dim3 grid = cell_grid(p.width, p.height);
  if (has_outlet(p)) {
    const CudaLaunch launch(backend, "lbm.in_place_outlets");
    in_place_outlets<<<blocks_of(std::max(p.width, p.height)), 256, 0, launch.stream()>>>(p, f);
  }
  {
    const CudaLaunch launch(backend, "lbm.in_place_odd");
    in_place_odd<Features><<<grid, cell_block(), 0, launch.stream()>>>(p, f, steps == 1);
  }
  if (steps == 1) {
    const CudaLaunch launch(backend, "lbm.in_place_return");
    in_place_return<<<grid, cell_block(), 0, launch.stream()>>>(p, f);
  } else {
    const CudaLaunch launch(backend, "lbm.in_place_even");
    in_place_even<Features><<<grid, cell_block(), 0, launch.stream()>>>(p, f);
  }
}

// ---- temporal

constexpr int cells_of_lane = 2, strip = cells_of_lane * warp_size;
constexpr int rows_ahead = 2, slots = rows_ahead + 1;

__device__ inline int wrap_far(int i, int count) {
  i %= count;
  return i < 0 ? i + count : i;
}

// What waits of a level: [population][cell of the lane].
template <bool Marked>
struct Waiting {
  float up_before[3][cells_of_lane];          // links 2, 5, 6 of the row before
  float up[3][cells_of_lane];                 // the same of the row itself
  float level[3][cells_of_lane];              // links 0, 1, 3
  float down[Marked ? 3 : 1][cells_of_lane];  // links 4, 7, 8
};

// What a lane reads from its left and right neighbours: `out[c]` is the value of column c-1 (or c+1) of the strip.
__device__ inline void from_left(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = __shfl_up_sync(all_lanes, value[1], 1);
  out[1] = value[0];
}
__device__ inline void from_right(const float (&value)[cells_of_lane], float (&out)[cells_of_lane]) {
  out[0] = value[1];
  out[1] = __shfl_down_sync(all_lanes, value[0], 1);
}

template <int Features, bool Marked, int T>
__global__ void __launch_bounds__(warp_size)
    temporal_steps(LbmPass p, LbmPopulations<float> from, LbmPopulations<float> to, int rows_of_chunk) {
  constexpr int useful = strip - 2 * T;
  __shared__ __align__(8) float rows[slots][lbm_links][strip];
  const int lane = static_cast<int>(threadIdx.x);
  const int first =
      static_cast<int>(blockIdx.x) * useful - T + cells_of_lane * lane;  // this lane's columns, before wrapping
  const int low = static_cast<int>(blockIdx.y) * rows_of_chunk, high = min(low + rows_of_chunk, p.height);
  int column[cells_of_lane];
#pragma unroll
  for (int c = 0; c < cells_of_lane; ++c) column[c] = wrap_far(first + c, p.width);
  const bool paired = first >= 0 && first + 1 < p.width && (first & 1) == 0;
  bool writes[cells_of_lane];
#pragma unroll
  for (int c = 0; c < cells_of_lane; ++c) {
    const int k = cells_of_lane * lane + c;
    writes[c] = k >= T && k < strip - T && first + c < p.width;
  }

  const auto fetch = [&](int row, int slot) {
    const int j = wrap_far(row, p.height);
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

  Waiting<Marked> waiting[T];
  int marks[T][cells_of_lane];  // of row R-1-k; bit 8: wall
#pragma unroll
  for (int k = 0; k < T; ++k) {
#pragma unroll
    for (int c = 0; c < cells_of_lane; ++c) {
      marks[k][c] = 0;
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        waiting[k].up_before[n][c] = waiting[k].up[n][c] = waiting[k].level[n][c] = 0.f;
        if constexpr (Marked) waiting[k].down[n][c] = 0.f;
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
    int next_marks[cells_of_lane] = {};
    if constexpr (Marked) {
      const int j = wrap_far(row, p.height);
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) {
        next_marks[c] = p.links(column[c], j);
        if (next_marks[c] == 255 && lbm_is_wall(p, column[c], j)) next_marks[c] |= 256;
      }
    }
    __pipeline_wait_prior(rows_ahead);
    float fresh[lbm_links][cells_of_lane];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
      const float2 both = *reinterpret_cast<const float2*>(&rows[slot][q][cells_of_lane * lane]);
      fresh[q][0] = both.x, fresh[q][1] = both.y;
    }
    slot = slot + 1 < slots ? slot + 1 : 0;

#pragma unroll
    for (int k = 0; k < T; ++k) {
      // Row `row - k` of level k is fresh; from it and what waits comes row `row - k - 1` of level k+1.
      Waiting<Marked>& w = waiting[k];
      float arrived[lbm_links][cells_of_lane];
      from_left(w.level[1], arrived[1]);
      from_right(w.level[2], arrived[3]);
      from_left(w.up_before[1], arrived[5]);
      from_right(w.up_before[2], arrived[6]);
      from_right(fresh[7], arrived[7]);
      from_left(fresh[8], arrived[8]);
      float result[lbm_links][cells_of_lane];
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) {
        float g[lbm_links] = {w.level[0][c], arrived[1][c], w.up_before[0][c], arrived[3][c], fresh[4][c],
                              arrived[5][c], arrived[6][c], arrived[7][c],     arrived[8][c]};
        if constexpr (Marked) {
          const int mask = marks[k][c] & 255;
          if (mask != 0) {
            const float own[lbm_links] = {w.level[0][c], w.level[1][c], w.up[0][c],   w.level[2][c], w.down[0][c],
                                          w.up[1][c],    w.up[2][c],    w.down[1][c], w.down[2][c]};
            lbm_answer_all(p, own, mask, column[c], wrap_far(row - k - 1, p.height), g);
          }
        }
        lbm_collide<Features>(g, p.rates);
        if constexpr (Marked) {
          const bool solid = (marks[k][c] & 256) != 0;
#pragma unroll
          for (int q = 0; q < lbm_links; ++q) g[q] = solid ? 0.f : g[q];
        }
#pragma unroll
        for (int q = 0; q < lbm_links; ++q) result[q][c] = g[q];
      }
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) {
#pragma unroll
        for (int n = 0; n < 3; ++n) w.up_before[n][c] = w.up[n][c];
        w.up[0][c] = fresh[2][c], w.up[1][c] = fresh[5][c], w.up[2][c] = fresh[6][c];
        w.level[0][c] = fresh[0][c], w.level[1][c] = fresh[1][c], w.level[2][c] = fresh[3][c];
        if constexpr (Marked) w.down[0][c] = fresh[4][c], w.down[1][c] = fresh[7][c], w.down[2][c] = fresh[8][c];
      }
#pragma unroll
      for (int q = 0; q < lbm_links; ++q) {
#pragma unroll
        for (int c = 0; c < cells_of_lane; ++c) fresh[q][c] = result[q][c];
      }
    }
    if constexpr (Marked) {
#pragma unroll
      for (int k = T - 1; k > 0; --k) {
#pragma unroll
        for (int c = 0; c < cells_of_lane; ++c) marks[k][c] = marks[k - 1][c];
      }
#pragma unroll
      for (int c = 0; c < cells_of_lane; ++c) marks[0][c] = next_marks[c];
    }

    const int done = row - T;
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

using TemporalKernel = void (*)(LbmPass, LbmPopulations<float>, LbmPopulations<float>, int);

template <int Features, int T>
TemporalKernel temporal_kernel(bool marked) {
  return marked ? temporal_steps<Features, true, T> : temporal_steps<Features, false, T>;
}

// Blocks of one warp that the device holds at once.
int resident_warps(const void* function) {
  int device = 0, processors = 1, blocks = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, warp_size, 0));
  return std::max(1, blocks * processors);
}

template <int Features, int T>
void step_temporal(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from,
                   const LbmPopulations<float>& to) {
  constexpr int useful = strip - 2 * T;
  const bool marked = !p.links.empty();
  const TemporalKernel kernel = temporal_kernel<Features, T>(marked);
  const int strips = (p.width + useful - 1) / useful;
  // One wave of warps, all at work until the end; but chunks high enough that their overlap stays small.
  static int places[2] = {0, 0};
  if (places[marked] == 0) places[marked] = resident_warps(reinterpret_cast<const void*>(kernel));
  const int wanted = std::max(1, places[marked] / strips);
  constexpr int least_rows = 4 * T;
  const int chunk = std::max((p.height + wanted - 1) / wanted, std::min(least_rows, p.height));
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>((p.height + chunk - 1) / chunk));
  const CudaLaunch launch(backend, "lbm.temporal");
  kernel<<<grid, warp_size, 0, launch.stream()>>>(p, from, to, chunk);
}

// ---- by name

constexpr int most_temporal_steps = 4;

template <int Features>
void step_fused(Backend& backend, const LbmPass& p, const LbmPopulations<float>& from,
                const LbmPopulations<float>& to) {
  parallel_for(backend, "lbm.fused", Range2D{p.width, p.height}, LbmStep<float, Features>{p, from, to});
}

template <int Features>
bool run(Backend& backend, LbmKernel kernel, const LbmPass& p, const LbmPopulations<float>& from,
         const LbmPopulations<float>& to, int steps) {
  switch (kernel) {
    case LbmKernel::unsplit:
      step_unsplit<Features>(backend, p, from, to);
      return true;
    case LbmKernel::split:
      step_split<Features>(backend, p, from, to);
      return true;
    case LbmKernel::in_place:
      step_in_place<Features>(backend, p, from, steps);
      return false;
    case LbmKernel::temporal:
      if constexpr ((Features & lbm_eddies) == 0) {
        if (steps == most_temporal_steps) {
          step_temporal<Features, most_temporal_steps>(backend, p, from, to);
          return true;
        }
        if (steps == 2) {
          step_temporal<Features, 2>(backend, p, from, to);
          return true;
        }
      }
      break;
    default:
      break;
  }
  step_fused<Features>(backend, p, from, to);
  return true;
}

template <int Features>
void run_half(Backend& backend, const LbmPass& p, const LbmPopulations<Half>& from, const LbmPopulations<Half>& to) {
  if (p.width % 2 != 0 || !backend.is_cuda()) {
    parallel_for(backend, "lbm.half", Range2D{p.width, p.height}, LbmStep<Half, Features>{p, from, to});
    return;
  }
  const CudaLaunch launch(backend, "lbm.half");
  half_pairs<Features><<<cell_grid(p.width / 2, p.height), cell_block(), 0, launch.stream()>>>(p, from, to);
}

LaunchShape shape_of(const void* function, dim3 block) {
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  const int threads = static_cast<int>(block.x * block.y);
  int device = 0, threads_of_processor = 1, blocks = 0;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads_of_processor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0));
  LaunchShape shape;
  shape.block_x = static_cast<int>(block.x), shape.block_y = static_cast<int>(block.y);
  shape.registers_per_thread = attributes.numRegs;
  shape.shared_bytes = static_cast<int>(attributes.sharedSizeBytes);
  shape.occupancy = static_cast<double>(blocks) * threads / threads_of_processor;
  return shape;
}

template <int Features>
LaunchShape shape(LbmKernel kernel, const LbmPass& p) {
  const dim3 block = cell_block();
  if (kernel == LbmKernel::unsplit)
    return shape_of(reinterpret_cast<const void*>(velocities_and_densities<Features, 0>), block);
  if (kernel == LbmKernel::split)
    return shape_of(reinterpret_cast<const void*>(velocities_and_densities<Features, 1>), block);
  if (kernel == LbmKernel::half) return shape_of(reinterpret_cast<const void*>(half_pairs<Features>), block);
  if (kernel == LbmKernel::in_place) return shape_of(reinterpret_cast<const void*>(in_place_odd<Features>), block);
  if constexpr ((Features & lbm_eddies) == 0)
    if (kernel == LbmKernel::temporal)
      return shape_of(reinterpret_cast<const void*>(temporal_kernel<Features, most_temporal_steps>(!p.links.empty())),
                      dim3(warp_size));
  return shape_of(reinterpret_cast<const void*>(detail::run_functor_2d<LbmStep<float, Features>>), block);
}

}  // namespace

int lbm_kernel_steps(LbmKernel kernel, int features, int wanted) {
  if (kernel == LbmKernel::in_place) return std::min(wanted, 2);
  if (kernel == LbmKernel::temporal && (features & lbm_eddies) == 0)
    return wanted >= most_temporal_steps ? most_temporal_steps : wanted >= 2 ? 2 : 1;
  return 1;
}

bool lbm_run_kernel(Backend& backend, LbmKernel kernel, const LbmPass& pass, const LbmPopulations<float>& from,
                    const LbmPopulations<float>& to, int features, int steps) {
  if (!backend.is_cuda()) kernel = LbmKernel::fused;
  switch (features) {
    case lbm_plain:
      return run<lbm_plain>(backend, kernel, pass, from, to, steps);
    case lbm_forced:
      return run<lbm_forced>(backend, kernel, pass, from, to, steps);
    case lbm_eddies:
      return run<lbm_eddies>(backend, kernel, pass, from, to, steps);
    default:
      return run<both_features>(backend, kernel, pass, from, to, steps);
  }
}

void lbm_run_half(Backend& backend, const LbmPass& pass, const LbmPopulations<Half>& from,
                  const LbmPopulations<Half>& to, int features) {
  switch (features) {
    case lbm_plain:
      run_half<lbm_plain>(backend, pass, from, to);
      break;
    case lbm_forced:
      run_half<lbm_forced>(backend, pass, from, to);
      break;
    case lbm_eddies:
      run_half<lbm_eddies>(backend, pass, from, to);
      break;
    default:
      run_half<both_features>(backend, pass, from, to);
      break;
  }
}

LaunchShape lbm_kernel_shape(LbmKernel kernel, const LbmPass& pass, int features) {
  switch (features) {
    case lbm_plain:
      return shape<lbm_plain>(kernel, pass);
    case lbm_forced:
      return shape<lbm_forced>(kernel, pass);
    case lbm_eddies:
      return shape<lbm_eddies>(kernel, pass);
    default:
      return shape<both_features>(kernel, pass);
  }
}

}  // namespace perturb
