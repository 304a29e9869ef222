// Teams of threads on CUDA (core/loops/team.h): a launch of which all thread blocks run at once.
#pragma once

#if defined(__CUDACC__)

#include <algorithm>
#include <cstring>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/backend/host_device.h"

namespace perturb {

// Neighbouring threads of a warp that work on the same item.
struct WarpLanes {
  static constexpr int count = 16;
  int index;
  unsigned mask;  // of the warp's threads

  __device__ void sync() const { __syncwarp(mask); }
  // Of the lanes' values, the first by `before(a, b)`; every lane gets it. T consists of 32-bit words.
  template <class T, class Before>
  __device__ T first(T own, const Before& before) const {
    static_assert(sizeof(T) % sizeof(unsigned) == 0);
    constexpr int words = sizeof(T) / sizeof(unsigned);
#pragma unroll
    for (int distance = count / 2; distance > 0; distance /= 2) {
      unsigned word[words], other_word[words];
      memcpy(word, &own, sizeof(T));
#pragma unroll
      for (int k = 0; k < words; ++k) other_word[k] = __shfl_xor_sync(mask, word[k], distance);
      T other;
      memcpy(&other, other_word, sizeof(T));
      if (before(other, own)) own = other;
    }
    return own;
  }
};

// The threads of a launch.
class CudaTeam {
 public:
  template <class F>
  __device__ void each(int count, const F& body) {
    for (int i = warp() * warp_size + static_cast<int>(threadIdx.x) % warp_size; i < count; i += threads()) body(i);
    wait();
  }
  template <class F>
  __device__ void share(int count, const F& body) {
    const WarpLanes lanes = my_lanes();
    constexpr int groups = warp_size / WarpLanes::count;
    const int group = static_cast<int>(threadIdx.x % warp_size) / WarpLanes::count;
    for (int i = warp() * groups + group; i < count; i += threads() / WarpLanes::count) body(i, lanes);
    wait();
  }
  // A warp takes some items, and its groups of lanes those that concern the body.
  template <class F>
  __device__ void where(int count, const F& body) {
    constexpr int groups = warp_size / WarpLanes::count;
    const int warps = threads() / warp_size, in_warp = static_cast<int>(threadIdx.x) % warp_size;
    const int chunk = min(warp_size, max(groups, (count + warps - 1) / warps));
    const WarpLanes lanes = my_lanes();
    for (int first = warp() * chunk; first < count; first += warps * chunk) {
      const int mine = first + in_warp;
      unsigned concerned = __ballot_sync(whole_warp, in_warp < chunk && mine < count && body.concerns(mine));
      for (int number = 0; concerned; ++number, concerned &= concerned - 1)
        if (number % groups == in_warp / WarpLanes::count) body(first + __ffs(static_cast<int>(concerned)) - 1, lanes);
      __syncwarp();
    }
    wait();
  }

 private:
  // Neighbouring warps are in different blocks: neighbouring items, which often have work at the same time, are then on
  // different multiprocessors.
  __device__ static int warp() { return static_cast<int>(threadIdx.x / warp_size * gridDim.x + blockIdx.x); }
  __device__ static int threads() { return static_cast<int>(gridDim.x * blockDim.x); }
  __device__ static WarpLanes my_lanes() {
    const unsigned first = threadIdx.x % warp_size / WarpLanes::count * WarpLanes::count;
    return {static_cast<int>(threadIdx.x % WarpLanes::count), ((1u << WarpLanes::count) - 1u) << first};
  }
  // A barrier of all threads; what any of them wrote before it is visible to all after it.
  __device__ static void wait() { cooperative_groups::this_grid().sync(); }
};

namespace detail {

// Clusters of thread blocks have a faster barrier, but one has at most 16 blocks: with it, steps of thousands of discs
// took 1.3 to 2.5 times as long (H200).
constexpr int team_block = 512;

template <class F>
__global__ void __launch_bounds__(team_block) run_team_kernel(const __grid_constant__ F body) {
  CudaTeam team;
  body(team);
}

template <class F>
void cuda_launch_team(Backend& backend, const char* label, int items, const F& body) {
  if (items <= 0) return;
  const int wanted = (items - 1) / (team_block / WarpLanes::count) + 1;  // blocks, if each group of lanes has one item
  cudaLaunchConfig_t config = {};
  config.gridDim =
      dim3(std::min(wanted, cuda_resident_blocks(reinterpret_cast<const void*>(&run_team_kernel<F>), team_block)));
  config.blockDim = dim3(team_block);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const CudaLaunch launch(backend, label);  // its destructor checks the launch
  config.stream = launch.stream();
  static_cast<void>(cudaLaunchKernelEx(&config, run_team_kernel<F>, body));
}

}  // namespace detail

}  // namespace perturb

#endif
