// The flow's CUDA kernels. Each is bit-identical to cell_step.
//
// A single step reads and writes nine populations per cell: 72 bytes in FP32, 36 in 16 bits, plus one byte of boundary
// links. It takes about 70 instructions, so a single step is memory-bound.
//
//   unsplit    The paper's starting point (Carrillo, Siegel & Li 2010): a boundary kernel whose one loop runs over
//              rows and columns, then a kernel for velocities and densities that branches on solid or fluid.
//   split      The paper's result: a boundary kernel with one loop over rows and one over columns, and an if-kernel
//              (solid) and an else-kernel (fluid) in place of the branch. Differences: README.md. As in the paper, the
//              solid branch of both loads nine populations, reverses and stores them; no kernel reads the values
//              stored in walls.
//   fused      One kernel; each thread computes the few cells of one wide access. Sideways neighbours come by shuffle.
//   half       The same with populations in 16 bits.
//   in-place   One copy of the populations (kernels/in_place.h).
//   temporal   Several steps in one pass (kernels/temporal.cu).
#include <algorithm>
#include <cstdint>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/lbm/kernels/in_place.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"

namespace perturb::lbm {

namespace {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int marks_of(const StepParams& p, int i, int j) { return p.links.empty() ? 0 : p.links(i, j); }

// ---- unsplit and split

// Gathers the populations that arrive at a boundary cell into `to`, for the second kernel. (Called in loops over both
// ends: two calls in a row make CUDA 13.0's compiler crash.)
__device__ inline void gather_rim(const StepParams& p, const Populations<float>& from, const Populations<float>& to,
                                  int i, int j) {
  const int mask = marks_of(p, i, j);
  if (mask == all_links) return;  // left to the second kernel
  float g[lbm_links];
  gather(p, from, mask, i, j, g);
  to.store(i, j, g);
}
__device__ inline bool on_rim(const StepParams& p, int i, int j) {
  return i == 0 || j == 0 || i == p.width - 1 || j == p.height - 1;
}

__global__ void __launch_bounds__(256)
    boundary_rows_and_columns(StepParams p, Populations<float> from, Populations<float> to) {
  const int count = max(p.width, p.height);
  for (int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); k < count;
       k += static_cast<int>(gridDim.x * blockDim.x)) {
    if (k < p.height)
      for (int end = 0; end < 2; ++end) gather_rim(p, from, to, end == 0 ? 0 : p.width - 1, k);
    if (k > 0 && k < p.width - 1)
      for (int end = 0; end < 2; ++end) gather_rim(p, from, to, k, end == 0 ? 0 : p.height - 1);
  }
}
__global__ void __launch_bounds__(256)
    boundary_rows_then_columns(StepParams p, Populations<float> from, Populations<float> to) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int stride = static_cast<int>(gridDim.x * blockDim.x);
  for (int k = first; k < p.height; k += stride)
    for (int end = 0; end < 2; ++end) gather_rim(p, from, to, end == 0 ? 0 : p.width - 1, k);
  for (int k = first + 1; k < p.width - 1; k += stride)
    for (int end = 0; end < 2; ++end) gather_rim(p, from, to, k, end == 0 ? 0 : p.height - 1);
}

template <int Features>
__device__ inline void fluid_cell(const StepParams& p, const Populations<float>& from, const Populations<float>& to,
                                  int mask, int i, int j) {
  float g[lbm_links];
  if (on_rim(p, i, j))
    to.load(i, j, g);
  else
    gather(p, from, mask, i, j, g);
  lbm_collide<Features>(g, p.rates);
  to.store(i, j, g);
}

// `Branch`: 0 both, 1 fluid only, 2 solid only.
template <int Features, int Branch>
__global__ void __launch_bounds__(256)
    velocities_and_densities(StepParams p, Populations<float> from, Populations<float> to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    if (i >= p.width) return;
    const int mask = marks_of(p, i, j);
    if (mask == all_links) {
      if (Branch != 1) full_way_bounce_back(p, from, to, i, j);
    } else if (Branch != 2) {
      fluid_cell<Features>(p, from, to, mask, i, j);
    }
  }
}

dim3 cell_block() { return {loop_block_width, loop_block_height}; }
dim3 cell_grid(int width, int height) {
  const LoopBlocks blocks = loop_blocks(width, height);
  return {static_cast<unsigned>(blocks.x), static_cast<unsigned>(blocks.y)};
}
unsigned blocks_of(int count) { return static_cast<unsigned>((count + 255) / 256); }

template <int Features, int Branch>
void run_velocities(Backend& backend, const char* label, const StepParams& p, const Populations<float>& from,
                    const Populations<float>& to) {
  const CudaLaunch launch(backend, label);
  velocities_and_densities<Features, Branch>
      <<<cell_grid(p.width, p.height), cell_block(), 0, launch.stream()>>>(p, from, to);
}
template <int Features>
void step_unsplit(Backend& backend, const StepParams& p, const Populations<float>& from, const Populations<float>& to) {
  {
    const CudaLaunch launch(backend, "lbm.boundary");
    boundary_rows_and_columns<<<blocks_of(std::max(p.width, p.height)), 256, 0, launch.stream()>>>(p, from, to);
  }
  run_velocities<Features, 0>(backend, "lbm.velocities", p, from, to);
}
template <int Features>
void step_split(Backend& backend, const StepParams& p, const Populations<float>& from, const Populations<float>& to) {
  {
    const CudaLaunch launch(backend, "lbm.boundary_two_loops");
    boundary_rows_then_columns<<<blocks_of(std::max(p.width, p.height)), 256, 0, launch.stream()>>>(p, from, to);
  }
  run_velocities<Features, 2>(backend, "lbm.if_kernel", p, from, to);
  run_velocities<Features, 1>(backend, "lbm.else_kernel", p, from, to);
}

// ---- fused and half

// N values of one population, in one access.
template <class T, int N>
struct alignas(sizeof(T) * N) Few {
  T cell[N];
};

template <class T, int N, int Features, class Record>
__global__ void __launch_bounds__(256) few_cells(StepParams p, Populations<T> from, Populations<T> to, Record record) {
  record.write();
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int i = few_column<N>(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
  // Lanes beyond the row read its last cells, so that all lanes can shuffle.
  const int at = min(i, p.width - N);
  const bool leftmost = lane == 0 || i != at, rightmost = lane == warp_size - 1 || at + N >= p.width;
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < p.height;
       j += static_cast<int>(gridDim.y * blockDim.y)) {
    const int below = j > 0 ? j - 1 : p.height - 1, above = j + 1 < p.height ? j + 1 : 0;
    float g[N][lbm_links];
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
      const T* line = from.row(q, lbm_ey(q) > 0 ? below : lbm_ey(q) < 0 ? above : j);
      const Few<T, N> few = *reinterpret_cast<const Few<T, N>*>(line + at);
      float value[N];
#pragma unroll
      for (int c = 0; c < N; ++c) value[c] = lbm_read(few.cell[c]);
      if (lbm_ex(q) > 0) {
        float before = __shfl_up_sync(all_lanes, value[N - 1], 1);
        if (leftmost) before = lbm_read(line[at > 0 ? at - 1 : p.width - 1]);
#pragma unroll
        for (int c = 0; c < N; ++c) g[c][q] = c > 0 ? value[c - 1] : before;
      } else if (lbm_ex(q) < 0) {
        float after = __shfl_down_sync(all_lanes, value[0], 1);
        if (rightmost) after = lbm_read(line[at + N < p.width ? at + N : 0]);
#pragma unroll
        for (int c = 0; c < N; ++c) g[c][q] = c + 1 < N ? value[c + 1] : after;
      } else {
#pragma unroll
        for (int c = 0; c < N; ++c) g[c][q] = value[c];
      }
    }
    if (i != at) continue;
    if (!p.links.empty()) {
      const Few<std::uint8_t, N> boundary_links = *reinterpret_cast<const Few<std::uint8_t, N>*>(p.links.row(j) + i);
      int any = 0;
#pragma unroll
      for (int c = 0; c < N; ++c) any |= boundary_links.cell[c];
      if (any != 0) {
#pragma unroll 1
        for (int c = 0; c < N; ++c) cell_step<T, Features>(p, from, to, i + c, j);
        continue;
      }
    }
    bool exceeds[N], any_exceeds = false;
#pragma unroll
    for (int c = 0; c < N; ++c) exceeds[c] = lbm_exceeds(lbm_collide_freely<Features>(g[c], p.rates));
#pragma unroll
    for (int c = 0; c < N; ++c) any_exceeds = any_exceeds || exceeds[c];
    if (any_exceeds) [[unlikely]] {
#pragma unroll
      for (int c = 0; c < N; ++c)
        if (exceeds[c]) lbm_limit(g[c]);
    }
#pragma unroll
    for (int q = 0; q < lbm_links; ++q) {
      Few<T, N> few;
#pragma unroll
      for (int c = 0; c < N; ++c) lbm_write(few.cell[c], g[c][q]);
      *reinterpret_cast<Few<T, N>*>(to.row(q, j) + i) = few;
    }
  }
}

// ---- by name

template <class T, int Features>
void step_few(Backend& backend, const char* label, const StepParams& p, const Populations<T>& from,
              const Populations<T>& to) {
  if (p.width % few != 0) {
    parallel_for_shown(backend, label, Range2D{p.width, p.height}, Step<T, Features>{p, from, to});
    return;
  }
  const dim3 grid = cell_grid(p.width / few, p.height);
  with_block_record(backend, label, grid, [&](auto record) {
    const CudaLaunch launch(backend, label);
    few_cells<T, few, Features><<<grid, cell_block(), 0, launch.stream()>>>(p, from, to, record);
  });
}

template <int Features>
LaunchShape shape(Kernel kernel, const StepParams& p) {
  const dim3 block = cell_block();
  const auto of = [&](auto* function) { return cuda_launch_shape(reinterpret_cast<const void*>(function), block); };
  if (kernel == Kernel::unsplit) return of(velocities_and_densities<Features, 0>);
  if (kernel == Kernel::split) return of(velocities_and_densities<Features, 1>);
  if (kernel == Kernel::in_place) return of(detail::run_functor_2d<InPlaceOdd<Features>>);
  if (kernel == Kernel::half)
    return p.width % few == 0 ? of(few_cells<Half, few, Features, NoBlockRecord>)
                              : of(detail::run_functor_2d<Step<Half, Features>>);
  return p.width % few == 0 ? of(few_cells<float, few, Features, NoBlockRecord>)
                            : of(detail::run_functor_2d<Step<float, Features>>);
}

}  // namespace

void cuda_step(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
               const Populations<float>& to, int features) {
  with_features(features, [&](auto constant) {
    constexpr int known = decltype(constant)::value;
    if (kernel == Kernel::unsplit)
      step_unsplit<known>(backend, params, from, to);
    else if (kernel == Kernel::split)
      step_split<known>(backend, params, from, to);
    else
      step_few<float, known>(backend, "lbm.fused", params, from, to);
  });
}

void cuda_velocities(Backend& backend, VelocityPart part, const StepParams& params, const Populations<float>& from,
                     const Populations<float>& to) {
  if (part == VelocityPart::both) run_velocities<lbm_plain, 0>(backend, "lbm.velocities", params, from, to);
  if (part == VelocityPart::only_if) run_velocities<lbm_plain, 2>(backend, "lbm.if_kernel", params, from, to);
  if (part == VelocityPart::only_else) run_velocities<lbm_plain, 1>(backend, "lbm.else_kernel", params, from, to);
}

void cuda_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
               int features) {
  with_features(features, [&](auto constant) {
    step_few<Half, decltype(constant)::value>(backend, "lbm.half", params, from, to);
  });
}

LaunchShape kernel_shape(Kernel kernel, const StepParams& params, int features) {
  if (kernel == Kernel::temporal) return temporal_shape(params, features);
  return with_features(features, [&](auto constant) { return shape<decltype(constant)::value>(kernel, params); });
}

std::vector<PartShape> split_shapes(int features) {
  return with_features(features, [&](auto constant) -> std::vector<PartShape> {
    constexpr int known = decltype(constant)::value;
    const auto of = [](auto* function, dim3 block) {
      return cuda_launch_shape(reinterpret_cast<const void*>(function), block);
    };
    const dim3 line(256);
    return {{"unsplit", "boundary, one loop", of(boundary_rows_and_columns, line)},
            {"unsplit", "velocities and densities", of(velocities_and_densities<known, 0>, cell_block())},
            {"split", "boundary, two loops", of(boundary_rows_then_columns, line)},
            {"split", "if-kernel (solid)", of(velocities_and_densities<known, 2>, cell_block())},
            {"split", "else-kernel (fluid)", of(velocities_and_densities<known, 1>, cell_block())}};
  });
}

}  // namespace perturb::lbm
