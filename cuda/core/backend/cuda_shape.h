// Launch shape and resource use of a kernel. Only for files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Number of resident blocks on the whole current device for a kernel with `threads` threads per block, each block with
// `dynamic_shared` bytes of shared memory beyond what the kernel declares. Cached, because the query is too slow for
// every frame. `function` is the kernel's address.
int cuda_resident_blocks(const void* function, int threads, std::size_t dynamic_shared = 0);

// Registers, shared memory and theoretical occupancy of a kernel launched in blocks of this shape.
LaunchShape cuda_launch_shape(const void* function, dim3 block, std::size_t dynamic_shared = 0);

}  // namespace perturb
