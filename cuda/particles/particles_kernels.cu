// The CUDA kernels of the discs that are more than a loop. See particles_step.h for the method.
#include <algorithm>

#include "cuda/core/check.h"
#include "cuda/core/cuda_check.h"
#include "cuda/core/cuda_launch.h"
#include "cuda/particles/particles_kernels.h"

namespace perturb {

namespace {

constexpr int warp_size = 32;
constexpr int find_block = 256;
constexpr int rounds_block = 1024;
constexpr unsigned whole_warp = 0xffffffffu;

// A warp's search for disc i; every lane gets the result.
template <class Real, bool contract>
__device__ inline LeastCandidate<Real> search_by_warp(const FindLeast<Real, contract>& find, int i) {
  LeastCandidate<Real> least;
  find.search(i, static_cast<int>(threadIdx.x) % warp_size, warp_size, least);
  for (int half = warp_size / 2; half > 0; half /= 2) {
    LeastCandidate<Real> other;
    other.time = __shfl_xor_sync(whole_warp, least.time, half);
    other.partner = __shfl_xor_sync(whole_warp, least.partner, half);
    find.merge(i, least, other);
  }
  return least;
}

template <class Real, bool contract>
__global__ void __launch_bounds__(find_block)
    find_by_warp(const __grid_constant__ FindLeast<Real, contract> find, int count) {
  const int i = static_cast<int>((blockIdx.x * find_block + threadIdx.x) / warp_size);
  if (i >= count) return;
  const LeastCandidate<Real> least = search_by_warp(find, i);
  if (threadIdx.x % warp_size == 0) find.best[i] = least.partner;
}

template <class Real, bool contract>
__global__ void __launch_bounds__(find_block)
    choose_by_warp(const __grid_constant__ ChooseAgain<Real, contract> choose) {
  const int thread = static_cast<int>(blockIdx.x * find_block + threadIdx.x);
  StepControl* const control = choose.control;
  if (thread == 0) control->pending[choose.to] = 0, ++control->rounds;
  const int count = control->pending[choose.from], warps = static_cast<int>(gridDim.x) * find_block / warp_size;
  for (int k = thread / warp_size; k < count; k += warps) {
    const int i = choose.list[k];
    if (!choose.find.taken[choose.find.best[i]]) continue;
    const LeastCandidate<Real> least = search_by_warp(choose.find, i);
    if (thread % warp_size == 0) choose.find.best[i] = least.partner;
  }
}

// One block, a warp for each waiting disc. Few wait by now, and a barrier costs less than a launch.
template <class Real, bool contract>
__global__ void __launch_bounds__(rounds_block)
    rounds_until_done(const __grid_constant__ FindLeast<Real, contract> find, unsigned char* taken, int* list,
                      int* next, StepControl* control, int waiting) {
  __shared__ int counts[2];
  const int warp = static_cast<int>(threadIdx.x) / warp_size, lane = static_cast<int>(threadIdx.x) % warp_size;
  if (threadIdx.x == 0) counts[0] = control->pending[waiting], counts[1] = 0;
  __syncthreads();
  int rounds = 0;
  for (int from = 0; counts[from] > 0; from ^= 1) {
    const int count = counts[from];
    for (int k = warp; k < count; k += rounds_block / warp_size) {
      const int i = list[k];
      if (!find.taken[find.best[i]]) continue;
      const LeastCandidate<Real> least = search_by_warp(find, i);
      if (lane == 0) find.best[i] = least.partner;
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < count; k += rounds_block) {
      const int i = list[k], partner = find.best[i];
      if (partner == no_partner) continue;
      if (partner == wall_partner || find.best[partner] == i)
        taken[i] = 1;
      else
        next[atomicAdd(&counts[from ^ 1], 1)] = i;
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[from] = 0;
    int* const swapped = list;
    list = next, next = swapped;
    ++rounds;
    __syncthreads();
  }
  if (threadIdx.x == 0) control->rounds += rounds, control->pending[waiting] = 0;
}

template <class Real, bool contract>
__global__ void all_pairs(const __grid_constant__ CheckPairs<Real, contract> check, int columns, int rows) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y)) check(column, row);
}

template <class Kernel>
LaunchShape shape_of(Kernel kernel, int block) {
  LaunchShape shape;
  shape.block_x = block, shape.block_y = 1;
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  shape.registers_per_thread = attributes.numRegs;
  shape.shared_bytes = static_cast<int>(attributes.sharedSizeBytes);
  int blocks = 0, device = 0, threads = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
  shape.occupancy = static_cast<double>(blocks) * block / threads;
  return shape;
}

template <class Real, bool contract>
LaunchShape find_shape(bool by_warp) {
  return by_warp ? shape_of(find_by_warp<Real, contract>, find_block)
                 : shape_of(detail::run_functor_1d<FindLeast<Real, contract>>, 256);
}

}  // namespace

template <class Real, bool contract>
void find_least_by_warp(Backend& backend, const FindLeast<Real, contract>& find, int count) {
  const int per_block = find_block / warp_size;
  const CudaLaunch launch(backend, "particles.find");
  find_by_warp<Real, contract><<<(count + per_block - 1) / per_block, find_block, 0, launch.stream()>>>(find, count);
}

template <class Real, bool contract>
void choose_again_by_warp(Backend& backend, const ChooseAgain<Real, contract>& choose, int most) {
  constexpr int most_blocks = 1024;
  const int per_block = find_block / warp_size;
  const CudaLaunch launch(backend, "particles.filter");
  choose_by_warp<Real, contract>
      <<<std::min((most + per_block - 1) / per_block, most_blocks), find_block, 0, launch.stream()>>>(choose);
}

template <class Real, bool contract>
void finish_rounds(Backend& backend, const FindLeast<Real, contract>& find, unsigned char* taken, int* list,
                   int* other_list, StepControl* control, int from) {
  const CudaLaunch launch(backend, "particles.filter");
  rounds_until_done<Real, contract>
      <<<1, rounds_block, 0, launch.stream()>>>(find, taken, list, other_list, control, from);
}

template <class Real, bool contract>
void check_all_pairs(Backend& backend, const CheckPairs<Real, contract>& check, int block) {
  const int columns = check.world.count | 1, rows = columns / 2;
  if (rows == 0) return;
  const CudaLaunch launch(backend, "particles.check_pairs");
  const dim3 grid((columns + block - 1) / block, std::min(rows, 65535));
  all_pairs<Real, contract><<<grid, block, 0, launch.stream()>>>(check, columns, rows);
}

template void find_least_by_warp(Backend&, const FindLeast<float, false>&, int);
template void find_least_by_warp(Backend&, const FindLeast<float, true>&, int);
template void find_least_by_warp(Backend&, const FindLeast<double, false>&, int);
template void find_least_by_warp(Backend&, const FindLeast<double, true>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<float, false>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<float, true>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<double, false>&, int);
template void choose_again_by_warp(Backend&, const ChooseAgain<double, true>&, int);
template void finish_rounds(Backend&, const FindLeast<float, false>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<float, true>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<double, false>&, unsigned char*, int*, int*, StepControl*, int);
template void finish_rounds(Backend&, const FindLeast<double, true>&, unsigned char*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, false>&, int);
template void check_all_pairs(Backend&, const CheckPairs<float, true>&, int);
template void check_all_pairs(Backend&, const CheckPairs<double, false>&, int);
template void check_all_pairs(Backend&, const CheckPairs<double, true>&, int);

LaunchShape particles_find_shape(bool single, bool contract, bool by_warp) {
  if (single) return contract ? find_shape<float, true>(by_warp) : find_shape<float, false>(by_warp);
  return contract ? find_shape<double, true>(by_warp) : find_shape<double, false>(by_warp);
}

LaunchShape particles_pairs_shape(bool single, bool contract, int block) {
  if (single) return contract ? shape_of(all_pairs<float, true>, block) : shape_of(all_pairs<float, false>, block);
  return contract ? shape_of(all_pairs<double, true>, block) : shape_of(all_pairs<double, false>, block);
}

}  // namespace perturb
