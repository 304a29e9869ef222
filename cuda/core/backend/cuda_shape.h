// How a kernel is launched and what it needs of the device. Only for files that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Blocks of a kernel of so many threads, each with so many bytes of shared memory beyond what it declares, that the
// current device can hold at once; asked for once, since a frame has no time for that. `function` is the kernel's
// address.
int cuda_resident_blocks(const void* function, int threads, std::size_t dynamic_shared = 0);

// Registers, shared memory and theoretical occupancy of a kernel launched in blocks of this shape.
LaunchShape cuda_launch_shape(const void* function, dim3 block, std::size_t dynamic_shared = 0);

}  // namespace perturb
