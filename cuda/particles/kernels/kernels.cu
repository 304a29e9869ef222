// CUDA kernels of the discs that are more than a loop. Method: model/find.h and model/decide.h.
#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_shape.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/particles/kernels/kernels.h"

namespace perturb::particles {

namespace {

constexpr int find_block = 256;
constexpr int rounds_block = 1024;
constexpr int late_tries = 8;

// Search of a warp for disc i; every lane gets the result.
template <bool again, class Real, bool contract>
__device__ inline LeastCandidates<Real> search_by_warp(const FindLeast<Real, contract>& find, int i) {
  LeastCandidates<Real> least;
  find.template search<again>(i, static_cast<int>(threadIdx.x) % warp_size, warp_size, least);
  for (int half = warp_size / 2; half > 0; half /= 2) {
    LeastCandidates<Real> other;
    other.time = __shfl_xor_sync(whole_warp, least.time, half);
    other.partner = __shfl_xor_sync(whole_warp, least.partner, half);
    other.next_time = __shfl_xor_sync(whole_warp, least.next_time, half);
    other.next = __shfl_xor_sync(whole_warp, least.next, half);
    other.until = __shfl_xor_sync(whole_warp, least.until, half);
    other.more = __shfl_xor_sync(whole_warp, static_cast<int>(least.more), half) != 0;
    find.merge(i, least, other);
  }
  return least;
}

template <class Real, bool contract>
__global__ void __launch_bounds__(find_block)
    find_by_warp(const __grid_constant__ FindLeast<Real, contract> find, int count) {
  const int i = static_cast<int>((blockIdx.x * find_block + threadIdx.x) / warp_size);
  if (i >= count) return;
  const LeastCandidates<Real> least = search_by_warp<false>(find, i);
  if (threadIdx.x % warp_size == 0) find.keep(i, least);
}

template <class Real, bool contract>
__global__ void __launch_bounds__(find_block) decide_by_warp(const __grid_constant__ FindLeast<Real, contract> find,
                                                             const __grid_constant__ WaitingLists waiting) {
  const int thread = static_cast<int>(blockIdx.x * find_block + threadIdx.x), lane = thread % warp_size;
  const int count = waiting.control->pending[waiting.from];
  const int warps = static_cast<int>(gridDim.x) * find_block / warp_size;
  for (int k = thread / warp_size; k < count; k += warps) {
    const int i = waiting.list[k];
    auto decision = Decision::decided;
    if (lane == 0) decision = decide(find, i, late_tries);
    const bool must_search = __shfl_sync(whole_warp, decision == Decision::must_search ? 1 : 0, 0) != 0;
    if (must_search) {
      const LeastCandidates<Real> least = search_by_warp<true>(find, i);
      if (lane == 0) find.keep(i, least), decision = decide(find, i, late_tries);
    }
    if (lane == 0 && decision != Decision::decided)
      waiting.next[reserve_slot(waiting.control->pending[waiting.to])] = i;
  }
}

// One block processes all discs that still wait. They are few, and a barrier costs less than a launch. A thread decides
// for a disc, a warp searches for one.
template <class Real, bool contract>
__global__ void __launch_bounds__(rounds_block)
    decide_until_done(const __grid_constant__ FindLeast<Real, contract> find, int* list, int* next, int* searching,
                      StepControl* control, int from) {
  __shared__ int waiting, to_wait, to_search;
  const int warp = static_cast<int>(threadIdx.x) / warp_size, lane = static_cast<int>(threadIdx.x) % warp_size;
  if (threadIdx.x == 0) waiting = control->pending[from], to_wait = to_search = 0;
  __syncthreads();
  while (waiting > 0) {
    for (int k = static_cast<int>(threadIdx.x); k < waiting; k += rounds_block) {
      const int i = list[k];
      const Decision decision = decide(find, i, late_tries);
      if (decision == Decision::waiting) next[atomicAdd(&to_wait, 1)] = i;
      if (decision == Decision::must_search) searching[atomicAdd(&to_search, 1)] = i;
    }
    __syncthreads();
    for (int k = warp; k < to_search; k += rounds_block / warp_size) {
      const int i = searching[k];
      const LeastCandidates<Real> least = search_by_warp<true>(find, i);
      if (lane == 0) find.keep(i, least), next[atomicAdd(&to_wait, 1)] = i;
    }
    __syncthreads();
    if (threadIdx.x == 0) waiting = to_wait, to_wait = to_search = 0;
    int* const swapped = list;
    list = next, next = swapped;
    __syncthreads();
  }
}

template <class Real, bool contract>
__global__ void all_pairs(const __grid_constant__ CheckPairs<Real, contract> check, int columns, int rows) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= columns) return;
  for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y)) check(column, row);
}

// A block tests disc `low` against all discs that come after it.
template <class Real, bool contract>
__global__ void all_pairs_by_rows(const __grid_constant__ CheckPairs<Real, contract> check) {
  const int low = static_cast<int>(blockIdx.x);
  for (int high = low + 1 + static_cast<int>(threadIdx.x); high < check.grid.count;
       high += static_cast<int>(blockDim.x))
    check.pair(low, high);
}

template <class Real, bool contract>
LaunchShape find_shape(bool by_warp) {
  return by_warp
             ? cuda_launch_shape(reinterpret_cast<const void*>(&find_by_warp<Real, contract>), dim3(find_block))
             : cuda_launch_shape(
                   reinterpret_cast<const void*>(&detail::run_functor_1d<FindLeastSorted<Real, contract>>), dim3(256));
}
template <class Real, bool contract>
LaunchShape pairs_shape(int block) {
  return cuda_launch_shape(reinterpret_cast<const void*>(&all_pairs<Real, contract>), dim3(block));
}

}  // namespace

template <class Real, bool contract>
void find_least_by_warp(Backend& backend, const FindLeast<Real, contract>& find) {
  const int per_block = find_block / warp_size;
  const CudaLaunch launch(backend, "particles.find");
  find_by_warp<Real, contract>
      <<<(find.grid.count + per_block - 1) / per_block, find_block, 0, launch.stream()>>>(find, find.grid.count);
}

template <class Real, bool contract>
void decide_again_by_warp(Backend& backend, const FindLeast<Real, contract>& find, const WaitingLists& waiting) {
  constexpr int most_blocks = 1024;
  const int per_block = find_block / warp_size;
  const CudaLaunch launch(backend, "particles.filter");
  decide_by_warp<Real, contract>
      <<<std::min((find.grid.count + per_block - 1) / per_block, most_blocks), find_block, 0, launch.stream()>>>(
          find, waiting);
}

template <class Real, bool contract>
void finish_deciding(Backend& backend, const FindLeast<Real, contract>& find, int* list, int* other_list,
                     int* searching, StepControl* control, int from) {
  const CudaLaunch launch(backend, "particles.filter");
  decide_until_done<Real, contract>
      <<<1, rounds_block, 0, launch.stream()>>>(find, list, other_list, searching, control, from);
}

template <class Real, bool contract>
void check_all_pairs(Backend& backend, const CheckPairs<Real, contract>& check, const PairsLaunch& how) {
  const int columns = check.grid.count | 1, rows = columns / 2;
  if (rows == 0) return;
  const CudaLaunch launch(backend, "particles.check_pairs");
  if (how.by_rows) {
    all_pairs_by_rows<Real, contract><<<check.grid.count - 1, how.block, 0, launch.stream()>>>(check);
    return;
  }
  const dim3 grid((columns + how.block - 1) / how.block, std::min(rows, 65535));
  // The preference stays with the kernel until another one is set.
  PERTURB_CUDA_CHECK(cudaFuncSetCacheConfig(all_pairs<Real, contract>,
                                            how.prefer_cache ? cudaFuncCachePreferL1 : cudaFuncCachePreferNone));
  all_pairs<Real, contract><<<grid, how.block, 0, launch.stream()>>>(check, columns, rows);
}

template void find_least_by_warp(Backend&, const FindLeast<float, false>&);
template void decide_again_by_warp(Backend&, const FindLeast<float, false>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<float, false>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, false>&, const PairsLaunch&);
template void find_least_by_warp(Backend&, const FindLeast<float, true>&);
template void decide_again_by_warp(Backend&, const FindLeast<float, true>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<float, true>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<float, true>&, const PairsLaunch&);
template void find_least_by_warp(Backend&, const FindLeast<double, false>&);
template void decide_again_by_warp(Backend&, const FindLeast<double, false>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<double, false>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<double, false>&, const PairsLaunch&);
template void find_least_by_warp(Backend&, const FindLeast<double, true>&);
template void decide_again_by_warp(Backend&, const FindLeast<double, true>&, const WaitingLists&);
template void finish_deciding(Backend&, const FindLeast<double, true>&, int*, int*, int*, StepControl*, int);
template void check_all_pairs(Backend&, const CheckPairs<double, true>&, const PairsLaunch&);

LaunchShape particles_find_shape(bool single, bool contract, bool by_warp) {
  if (single) return contract ? find_shape<float, true>(by_warp) : find_shape<float, false>(by_warp);
  return contract ? find_shape<double, true>(by_warp) : find_shape<double, false>(by_warp);
}

LaunchShape particles_pairs_shape(bool single, bool contract, int block) {
  if (single) return contract ? pairs_shape<float, true>(block) : pairs_shape<float, false>(block);
  return contract ? pairs_shape<double, true>(block) : pairs_shape<double, false>(block);
}

}  // namespace perturb::particles
