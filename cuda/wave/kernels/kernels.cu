// The CUDA kernels of the wave. Each is bit-identical to wave_cell on every tank, as long as heights are finite.
//
// A step needs 12 bytes per cell in FP32 (read u(t) and u(t-1), write u(t+1)) and 7 arithmetic instructions. A single
// step is therefore bound by memory: its limit is the copy bandwidth of the machine divided by 12 bytes.
//
//   convolution   The last version of the paper, which keeps the field on the device (its first version copied the
//                 field to the device and back for each convolution). Blocks of 3x3 threads stage a 5x5 apron in shared
//                 memory for the Laplacian. Then follow one kernel for a term, one for each sum and two copies of the
//                 whole field: about 68 bytes per cell, with 9 of a warp's 32 lanes active. README.md lists the
//                 differences from the paper.
//   fused         One kernel with one thread per cell, t+1 written over t-1: 12 bytes per cell, in 4-byte accesses.
//   vectorised    The same with four cells per thread in 16-byte accesses, which reaches the bound for one step per
//                 pass: 100 % on an H200. (Threads that process several rows load less from the caches, but reached
//                 only 91 % of it.)
//   temporal      T steps in one pass over memory, 16/T bytes per cell and step, so that arithmetic becomes the bound
//                 (kernels/temporal.cu).
#include <cstdint>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/kernels/launches.h"
#include "cuda/wave/model/fold.h"

namespace perturb::wave {

namespace {

// ------------------------------------------------------------------------------------------------------------
// convolution

template <class Real>
PERTURB_HD inline Real local_inertia(const StepParams<Real>& params, int i, int j) {
  return params.sponge_x.empty() ? params.inertia : params.inertia * (params.sponge_x[i] * params.sponge_y[j]);
}

template <class Real>
PERTURB_HD inline Real local_courant2(const StepParams<Real>& params, int i, int j) {
  const Real courant2 = params.medium.empty() ? params.courant2 : wave_courant2(params.medium(i, j), params.courant2);
  return params.sponge_x.empty() ? courant2 : courant2 * (params.sponge_x[i] * params.sponge_y[j]);
}

// Computes the Laplacian with blocks of 3x3 threads and an apron of one cell around them in shared memory.
template <class Real, class Record>
__global__ void convolve(const __grid_constant__ StepParams<Real> params, View2D<const Real> u, View2D<Real> laplacian,
                         Record record) {
  record.write();
  constexpr int tile = convolution_block + 2 * convolution_apron;
  __shared__ Real apron[tile][tile];
  const int i0 = blockIdx.x * convolution_block, j0 = blockIdx.y * convolution_block;
  const int thread = threadIdx.y * convolution_block + threadIdx.x;
  for (int t = thread; t < tile * tile; t += convolution_block * convolution_block) {
    const Folded x = fold(i0 + t % tile - convolution_apron, params.width, params.left, params.right);
    const Folded y = fold(j0 + t / tile - convolution_apron, params.height, params.bottom, params.top);
    apron[t / tile][t % tile] = signed_value(x.sign * y.sign, u(x.index, y.index));
  }
  __syncthreads();
  const int i = i0 + threadIdx.x, j = j0 + threadIdx.y;
  if (i >= params.width || j >= params.height) return;
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const Real own = apron[y][x];
  Real sum = wave_laplacian(own, apron[y][x - 1], apron[y][x + 1], apron[y - 1][x], apron[y + 1][x]);
  if (params.stencil == Stencil::nine)
    sum = laplacian_nine(
        sum, own, wave_corners(apron[y - 1][x - 1], apron[y - 1][x + 1], apron[y + 1][x - 1], apron[y + 1][x + 1]));
  laplacian(i, j) = sum;
}

// One kernel for a term and one for each of the two sums. The paper has kernels for three terms. The scheme rounds a
// u(t) and b L u(t) (model/cell.h) only together with the sum they enter. The kernels of the sums therefore compute
// these two products, which keeps the result bit-identical.
template <class Real>
struct PreviousTerm {
  StepParams<Real> params;
  View2D<const Real> u_previous;
  View2D<Real> term;
  PERTURB_HD void operator()(int i, int j) const {
    term(i, j) = (Real(1) - local_inertia(params, i, j)) * u_previous(i, j);
  }
};

template <class Real>
struct SumOfMemory {
  StepParams<Real> params;
  View2D<const Real> u;
  View2D<Real> sum;
  PERTURB_HD void operator()(int i, int j) const {
    sum(i, j) = multiply_add(local_inertia(params, i, j), u(i, j), sum(i, j));
  }
};

template <class Real>
struct SumOfAll {
  StepParams<Real> params;
  View2D<const Real> memory;
  View2D<Real> sum;  // in: the Laplacian
  PERTURB_HD void operator()(int i, int j) const {
    sum(i, j) = multiply_add(local_courant2(params, i, j), sum(i, j), memory(i, j));
  }
};

// Features that the paper's tank does not have: hard sources, walls and absorbing sides.
template <class Real>
struct RimAndMedium {
  StepParams<Real> params;
  View2D<const Real> u, u_previous;
  View2D<Real> u_new;
  PERTURB_HD void operator()(int i, int j) const {
    const bool rim = (i == 0 && params.left == Boundary::absorbing) ||
                     (i == params.width - 1 && params.right == Boundary::absorbing) ||
                     (j == 0 && params.bottom == Boundary::absorbing) ||
                     (j == params.height - 1 && params.top == Boundary::absorbing);
    const bool wall = !params.medium.empty() && is_wall(params.medium(i, j));
    if (rim || wall || params.sources.count > 0) u_new(i, j) = wave_cell(params, u, u_previous(i, j), i, j, 0);
  }
};

template <class Real>
void step_by_convolution(Backend& backend, const StepParams<Real>& params, const Levels<Real>& levels) {
  constexpr const char* label = "wave.convolution";
  const Range2D cells{params.width, params.height};
  const std::size_t bytes = sizeof(Real) * levels.u.stride * params.height;
  const View2D<Real> result = levels.spare, scratch = levels.spare_previous;
  backend.copy_within(scratch.data, levels.u.data, bytes);
  {
    const dim3 block(convolution_block, convolution_block);
    const dim3 grid((params.width + convolution_block - 1) / convolution_block,
                    (params.height + convolution_block - 1) / convolution_block);
    with_block_record(backend, label, grid, [&](auto record) {
      const CudaLaunch launch(backend, label);
      convolve<Real><<<grid, block, 0, launch.stream()>>>(params, scratch, result, record);
    });
  }
  parallel_for(backend, label, cells, PreviousTerm<Real>{params, levels.u_previous, scratch});
  parallel_for(backend, label, cells, SumOfMemory<Real>{params, levels.u, scratch});
  parallel_for(backend, label, cells, SumOfAll<Real>{params, scratch, result});
  if (!params.is_plain())
    parallel_for(backend, label, cells, RimAndMedium<Real>{params, levels.u, levels.u_previous, result});
  backend.copy_within(levels.u_previous.data, result.data, bytes);
}

// ------------------------------------------------------------------------------------------------------------------
// fused

template <class Real, bool nine>
struct FusedStep {
  StepParams<Real> params;
  View2D<const Real> u;
  View2D<Real> u_previous;  // out: u(t+1)
  PERTURB_HD void operator()(int i, int j) const {
    Real& cell = u_previous(i, j);
    cell = wave_cell_of<nine>(params, u, cell, i, j, 0);
  }
};

// -------------------------------------------------------------------------------------------------------------
// vectorised

// Whether a source may hold a cell of the quad that starts at (i, j) at this level. The margin of one cell covers
// rounding.
template <class Real>
PERTURB_HD inline bool may_be_in_hard_source(const HardSource<Real>& hard_source, int i, int j) {
  const float reach = hard_source.radius + 1.f;
  const float x = static_cast<float>(i), y = static_cast<float>(j) + 0.5f;
  return x <= fmaxf(hard_source.x0, hard_source.x1) + reach &&
         x + static_cast<float>(quad) >= fminf(hard_source.x0, hard_source.x1) - reach &&
         y <= fmaxf(hard_source.y0, hard_source.y1) + reach && y >= fminf(hard_source.y0, hard_source.y1) - reach;
}

template <class Real, bool nine, class Record>
__global__ void __launch_bounds__(warp_size* vectorised_rows)
    vectorised_step(const __grid_constant__ StepParams<Real> params, View2D<const Real> u, View2D<Real> u_previous,
                    Record record) {
  record.write();
  const auto [i0, j] = vectorised_cell(static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                                       static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y));
  if (i0 >= params.width || j >= params.height) return;
  bool single_cells = i0 == 0 || i0 + quad >= params.width || j == 0 || j + 1 == params.height;
  for (int s = 0; s < params.sources.count; ++s)
    single_cells |= may_be_in_hard_source(params.sources.hard_sources[s][0], i0, j);
  if (single_cells) {
#pragma unroll 1
    for (int i = i0; i < i0 + quad && i < params.width; ++i)
      u_previous(i, j) = wave_cell_of<nine>(params, u, u_previous(i, j), i, j, 0);
    return;
  }
  const auto load = [](const Real* from) { return *reinterpret_cast<const Quad<Real>*>(from); };
  const Quad<Real> own = load(u.row(j) + i0), down = load(u.row(j - 1) + i0), up = load(u.row(j + 1) + i0);
  const Quad<Real> previous = load(u_previous.row(j) + i0);
  const Real left = u.row(j)[i0 - 1], right = u.row(j)[i0 + quad];
  Real corners[4] = {};  // of the quad: left and right in the row below, then in the row above
  if (nine) {
    corners[0] = u.row(j - 1)[i0 - 1];
    corners[1] = u.row(j - 1)[i0 + quad];
    corners[2] = u.row(j + 1)[i0 - 1];
    corners[3] = u.row(j + 1)[i0 + quad];
  }
  const bool has_medium = !params.medium.empty(), has_sponge = !params.sponge_x.empty();
  Quad<Real> medium{}, sponge{}, next;
  if (has_medium) medium = load(params.medium.row(j) + i0);
  if (has_sponge) sponge = load(params.sponge_x.data + i0);
  const Real sponge_y = has_sponge ? params.sponge_y[j] : Real(1);
#pragma unroll
  for (int c = 0; c < quad; ++c) {
    Real courant2 = has_medium ? wave_courant2(medium.v[c], params.courant2) : params.courant2,
         inertia = params.inertia;
    if (has_sponge) {
      const Real share = sponge.v[c] * sponge_y;
      courant2 *= share;
      inertia *= share;
    }
    const bool first = c == 0, last = c + 1 == quad;
    Real laplacian =
        wave_laplacian(own.v[c], first ? left : own.v[c - 1], last ? right : own.v[c + 1], down.v[c], up.v[c]);
    if (nine)
      laplacian = laplacian_nine(laplacian, own.v[c],
                                 wave_corners(first ? corners[0] : down.v[c - 1], last ? corners[1] : down.v[c + 1],
                                              first ? corners[2] : up.v[c - 1], last ? corners[3] : up.v[c + 1]));
    next.v[c] = wave_advance(own.v[c], previous.v[c], laplacian, courant2, inertia);
    if (has_medium && is_wall(medium.v[c])) next.v[c] = Real(0);
  }
  *reinterpret_cast<Quad<Real>*>(u_previous.row(j) + i0) = next;
}

template <class Real>
void step_vectorised(Backend& backend, const StepParams<Real>& params, const Levels<Real>& levels) {
  const dim3 block(warp_size, vectorised_rows);
  const dim3 grid((params.width + vectorised_columns - 1) / vectorised_columns,
                  (params.height + vectorised_rows - 1) / vectorised_rows);
  constexpr const char* label = "wave.vectorised";
  with_block_record(backend, label, grid, [&](auto record) {
    const CudaLaunch launch(backend, label);
    if (params.stencil == Stencil::nine)
      vectorised_step<Real, true><<<grid, block, 0, launch.stream()>>>(params, levels.u, levels.u_previous, record);
    else
      vectorised_step<Real, false><<<grid, block, 0, launch.stream()>>>(params, levels.u, levels.u_previous, record);
  });
}

template <class Real>
LaunchShape kernel_shape(Kernel kernel) {
  switch (kernel) {
    case Kernel::convolution:
      return cuda_launch_shape(reinterpret_cast<const void*>(convolve<Real, NoBlockRecord>),
                               dim3(convolution_block, convolution_block));
    case Kernel::fused:
      return cuda_launch_shape(reinterpret_cast<const void*>(detail::run_functor_2d<FusedStep<Real, false>>),
                               dim3(loop_block_width, loop_block_height));
    case Kernel::vectorised:
      return cuda_launch_shape(reinterpret_cast<const void*>(vectorised_step<Real, false, NoBlockRecord>),
                               dim3(warp_size, vectorised_rows));
    case Kernel::temporal:
      return temporal_shape<Real>();
  }
  return {};
}

}  // namespace

int kernel_steps(Kernel kernel, int width, int height, int bytes_per_real) {
  if (width <= 0 || height <= 0) return 0;
  if (kernel != Kernel::temporal) return 1;
  return bytes_per_real == 8 ? max_temporal_steps<double> : max_temporal_steps<float>;
}

template <class Real>
bool run_kernel(Backend& backend, Kernel kernel, const StepParams<Real>& params, const Levels<Real>& levels, int steps,
                LoopBlock block) {
  PERTURB_ASSERT(steps >= 1 && steps <= kernel_steps(kernel, params.width, params.height, sizeof(Real)));
  switch (kernel) {
    case Kernel::convolution:
      step_by_convolution(backend, params, levels);
      return false;
    case Kernel::fused:
      if (params.stencil == Stencil::nine)
        parallel_for_shown(backend, "wave.fused", Range2D{params.width, params.height},
                           FusedStep<Real, true>{params, levels.u, levels.u_previous}, block);
      else
        parallel_for_shown(backend, "wave.fused", Range2D{params.width, params.height},
                           FusedStep<Real, false>{params, levels.u, levels.u_previous}, block);
      return false;
    case Kernel::vectorised:
      step_vectorised(backend, params, levels);
      return false;
    case Kernel::temporal:
      PERTURB_ASSERT(params.stencil == Stencil::five);
      step_temporal(backend, params, levels, steps);
      return true;
  }
  return false;
}

template bool run_kernel(Backend&, Kernel, const StepParams<float>&, const Levels<float>&, int, LoopBlock);
template bool run_kernel(Backend&, Kernel, const StepParams<double>&, const Levels<double>&, int, LoopBlock);

LaunchShape wave_kernel_shape(Kernel kernel, int, int, int bytes_per_real) {
  return bytes_per_real == 8 ? kernel_shape<double>(kernel) : kernel_shape<float>(kernel);
}

}  // namespace perturb::wave
