// Registers, shared memory and occupancy of a loop on CUDA, for studies.
#pragma once

#include "cuda/core/backend/backend.h"

#if defined(__CUDACC__)
#include "cuda/core/backend/cuda_launch.h"
#endif

namespace perturb {

// Those of `body` as parallel_for_in_blocks launches it, in blocks of `block` threads; parallel_for takes 256. All zero
// on the CPU.
template <class F>
LaunchShape loop_shape([[maybe_unused]] const Backend& backend, [[maybe_unused]] int block) {
#if defined(__CUDACC__)
  if (backend.is_cuda())
    return cuda_launch_shape(reinterpret_cast<const void*>(detail::run_functor_1d<F>),
                             dim3(static_cast<unsigned>(block)));
#endif
  return {};
}

}  // namespace perturb
