// CUDA kernels of the discs that are more than a loop. Methods: model/collisions.h, and kernels/kernels.h for tiles.
#include <algorithm>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/math/half.h"
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
      if (lane == 0) {
        find.keep(i, least);
        decision = decide(find, i, late_tries);
      }
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
  if (threadIdx.x == 0) {
    waiting = control->pending[from];
    to_wait = to_search = 0;
  }
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
      if (lane == 0) {
        find.keep(i, least);
        next[atomicAdd(&to_wait, 1)] = i;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      waiting = to_wait;
      to_wait = to_search = 0;
    }
    int* const swapped = list;
    list = next;
    next = swapped;
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
  constexpr int max_blocks = 1024;
  const int per_block = find_block / warp_size;
  const CudaLaunch launch(backend, "particles.filter");
  decide_by_warp<Real, contract>
      <<<std::min((find.grid.count + per_block - 1) / per_block, max_blocks), find_block, 0, launch.stream()>>>(
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

// ---- tiles

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int row_tiles = tile_block / warps / 16;  // of 16 rows, for a warp
constexpr int max_columns = tile_block;             // per block
constexpr int queue_length = 2048;
static_assert(row_tiles * 16 * warps == tile_block);

struct HighLow {
  unsigned short high, low;
};
__device__ inline HighLow split(double value) {
  const auto whole = static_cast<float>(value);
  const __half high = __float2half_rn(whole);
  return {__half_as_ushort(high), __half_as_ushort(__float2half_rn(whole - __half2float(high)))};
}

// The rows and columns of the discs, padded to whole blocks with some that touch no disc.
template <class Real>
__global__ void __launch_bounds__(threads) pack_discs(const __grid_constant__ TileSearch<Real> search, int padded) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i == 0) {
    StepControl& control = *search.control;
    control.cells = {};
    control.pending[0] = control.pending[1] = 0;
    control.max_edges = max(control.max_edges, control.edges);
    control.edges = 0;
  }
  if (i >= padded) return;
  const unsigned short one = 0x3c00, far = 0x7800;  // 1 and 32768
  unsigned short row[16] = {}, column[16] = {};
  float bound = -1;
  if (i < search.grid.count) {
    const Disc<Real> d = search.grid.discs[i];
    const Box<Real>& box = search.grid.box;
    const double half_width = 0.5 * static_cast<double>(box.right > box.top ? box.right : box.top);
    const double fastest = fmax(static_cast<double>(search.control->fastest), 1e-300);
    const double x = static_cast<double>(d.x) / half_width - 1, y = static_cast<double>(d.y) / half_width - 1;
    const double vx = static_cast<double>(d.vx) / fastest, vy = static_cast<double>(d.vy) / fastest;
    const double extent = 2 * half_width, radius = static_cast<double>(search.grid.radius);
    const double reach = 2 * radius + search_margin<Real>(radius, fastest, extent);
    // |w| is at most the speed of the disc plus that of the fastest.
    bound = static_cast<float>(1.0001 * (reach / half_width * (sqrt(vx * vx + vy * vy) + 1.41422) + tile_error));
    // The bounds hold within the box. For a disc outside it, or with NaN values, the product is not a number either,
    // and no pair is omitted.
    const bool bounded = fabs(x) <= 1.001 && fabs(y) <= 1.001 && fabs(vx) <= 1.001 && fabs(vy) <= 1.001;
    const HighLow a = split(bounded ? x * vy - y * vx : nan(""));
    const HighLow left[4] = {split(-vy), split(vx), split(-x), split(y)};
    const HighLow right[4] = {split(x), split(y), split(vy), split(vx)};
    row[0] = a.high;
    row[1] = a.low;
    row[2] = row[3] = one;
    column[0] = column[1] = one;
    column[2] = a.high;
    column[3] = a.low;
    for (int k = 0; k < 4; ++k) {
      row[4 + 3 * k] = row[5 + 3 * k] = left[k].high;
      row[6 + 3 * k] = left[k].low;
      column[4 + 3 * k] = column[6 + 3 * k] = right[k].high;
      column[5 + 3 * k] = right[k].low;
    }
    search.lists.heads[i] = -1;
    search.claims[i] = unknown_claim;
  } else {
    row[2] = one;
    column[2] = far;
  }
  search.bounds[i] = bound;
  for (int k = 0; k < 16; ++k) {
    search.rows[16 * i + k] = row[k];
    search.columns[16 * i + k] = column[k];
  }
}

// A pair that may touch.
template <class Real, bool contract>
__device__ inline void test_pair(const TileSearch<Real>& search, int p, int q) {
  if (p >= q || q >= search.grid.count) return;
  const Real time =
      pair_time<contract>(search.grid.discs[p], search.grid.discs[q], search.grid.radius + search.grid.radius);
  if (!(time <= Real(1))) return;
  // Far beyond the capacity of the list counting stops, which also prevents an overflow.
  if (relaxed_load(search.control->edges) > search.lists.capacity + (1 << 20)) return;
  const int place = reserve_slot(search.control->edges);
  if (place >= search.lists.capacity) return;
  Edge<Real>& edge = search.lists.edges[place];
  edge.time = time;
  edge.p = p;
  edge.q = q;
  edge.next[0] = atomic_exchange(search.lists.heads[p], 2 * place);
  edge.next[1] = atomic_exchange(search.lists.heads[q], 2 * place + 1);
}

// A block has 512 rows, 64 per warp, and `columns` columns (a multiple of 64): fewer where there are few discs, so that
// there are enough blocks for all processors.
template <class Real, bool contract>
__global__ void __launch_bounds__(threads, 4)
    find_in_tiles(const __grid_constant__ TileSearch<Real> search, int columns) {
  __shared__ HalfQuad staged[4 * max_columns];
  __shared__ unsigned queue[queue_length];
  __shared__ int queued;
  const int first_row = static_cast<int>(blockIdx.y) * tile_block,
            first_column = static_cast<int>(blockIdx.x) * columns;
  if (first_column + columns <= first_row) return;  // each pair once
  if (threadIdx.x == 0) queued = 0;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int group = lane / 4, place = lane % 4;
  const auto* const rows = reinterpret_cast<const HalfQuad*>(search.rows);
  const auto* const all_columns = reinterpret_cast<const HalfQuad*>(search.columns) + 4 * first_column;
  for (int k = static_cast<int>(threadIdx.x); k < 4 * columns; k += threads) staged[k] = all_columns[k];
  const int warp_row = warp * row_tiles * 16;  // within the block
  HalfQuad a[row_tiles][2];
  float bounds[row_tiles][2];
#pragma unroll
  for (int m = 0; m < row_tiles; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = first_row + warp_row + 16 * m + 8 * h + group;
      a[m][h] = rows[4 * row + place];
      bounds[m][h] = search.bounds[row];
    }
  __syncthreads();
#pragma unroll 2
  for (int tile = 0; tile < columns / 8; ++tile) {
    const HalfQuad b = staged[32 * tile + lane];
    float product[row_tiles][4];
    bool none = true;
#pragma unroll
    for (int m = 0; m < row_tiles; ++m) {
      multiply_16x8(product[m], a[m][0], a[m][1], b);
#pragma unroll
      for (int k = 0; k < 4; ++k) none = none && fabsf(product[m][k]) > bounds[m][k / 2];  // false for NaN
    }
    if (none) continue;
    unsigned found = 0;
#pragma unroll
    for (int m = 0; m < row_tiles; ++m)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (!(fabsf(product[m][k]) > bounds[m][k / 2])) found |= 1u << (4 * m + k);
    int at = atomicAdd(&queued, __popc(found));
    for (; found; found &= found - 1, ++at) {
      const int bit = __ffs(static_cast<int>(found)) - 1, k = bit % 4;
      const int p = warp_row + 16 * (bit / 4) + 8 * (k / 2) + group, q = 8 * tile + 2 * place + k % 2;
      if (at < queue_length)
        queue[at] = static_cast<unsigned>(p * max_columns + q);
      else
        test_pair<Real, contract>(search, first_row + p, first_column + q);
    }
  }
  __syncthreads();
  const int count = min(queued, queue_length);
  for (int k = static_cast<int>(threadIdx.x); k < count; k += threads)
    test_pair<Real, contract>(search, first_row + static_cast<int>(queue[k]) / max_columns,
                              first_column + static_cast<int>(queue[k]) % max_columns);
}

}  // namespace

bool tiles_available(const Backend& backend) {
  if (!backend.is_cuda()) return false;
  int major = 0;
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, backend.device_index()));
  return 10 * major >= mma_capability;
}

template <class Real, bool contract>
void find_by_tiles(Backend& backend, const TileSearch<Real>& search) {
  const int blocks = (search.grid.count + tile_block - 1) / tile_block, padded = blocks * tile_block;
  {
    const CudaLaunch launch(backend, "particles.pack");
    pack_discs<Real><<<padded / threads, threads, 0, launch.stream()>>>(search, padded);
  }
  const CudaLaunch launch(backend, "particles.find");
  const int columns = padded <= 4096 ? 64 : padded <= 16384 ? 128 : 256;
  find_in_tiles<Real, contract><<<dim3(padded / columns, blocks), threads, 0, launch.stream()>>>(search, columns);
}

LaunchShape tiles_shape(bool single, bool contract) {
  const auto* const kernel = single ? (contract ? reinterpret_cast<const void*>(&find_in_tiles<float, true>)
                                                : reinterpret_cast<const void*>(&find_in_tiles<float, false>))
                                    : (contract ? reinterpret_cast<const void*>(&find_in_tiles<double, true>)
                                                : reinterpret_cast<const void*>(&find_in_tiles<double, false>));
  return cuda_launch_shape(kernel, dim3(threads));
}

template void find_by_tiles<float, false>(Backend&, const TileSearch<float>&);
template void find_by_tiles<float, true>(Backend&, const TileSearch<float>&);
template void find_by_tiles<double, false>(Backend&, const TileSearch<double>&);
template void find_by_tiles<double, true>(Backend&, const TileSearch<double>&);

}  // namespace perturb::particles
