// Calls a functor for every thread of a launch, with its index: for records of which thread computes which cell, with
// which a LaunchMap is compared.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/host_device.h"

#if defined(__CUDACC__)
#include "cuda/core/backend/cuda_launch.h"
#endif

namespace perturb {

// Blocks of a grid, and threads of a block.
struct LaunchSize {
  int grid_x = 1, grid_y = 1, block_x = 1, block_y = 1;
};

// blockIdx and threadIdx.
struct ThreadIndex {
  int block_x = -1, block_y = -1, thread_x = -1, thread_y = -1;
  bool operator==(const ThreadIndex&) const = default;
};

#if defined(__CUDACC__)
namespace detail {

template <class F>
__global__ void run_with_index(F body) {
  body(ThreadIndex{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(threadIdx.x),
                   static_cast<int>(threadIdx.y)});
}

}  // namespace detail
#endif

// Runs body(ThreadIndex) in a launch of this size on CUDA; on the CPU for one thread after the other.
template <class F>
void for_each_thread([[maybe_unused]] Backend& backend, [[maybe_unused]] const char* label, const LaunchSize& size,
                     const F& body) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    const CudaLaunch launch(backend, label);
    detail::run_with_index<<<dim3(size.grid_x, size.grid_y), dim3(size.block_x, size.block_y), 0, launch.stream()>>>(
        body);
    return;
  }
#endif
  PERTURB_ASSERT(!backend.is_cuda());
  for (int by = 0; by < size.grid_y; ++by)
    for (int bx = 0; bx < size.grid_x; ++bx)
      for (int ty = 0; ty < size.block_y; ++ty)
        for (int tx = 0; tx < size.block_x; ++tx) body(ThreadIndex{bx, by, tx, ty});
}

}  // namespace perturb
