// Plan of an evaluation: the kernel, and whether the matrix is stored.
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/measure/rates.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

struct Plan {
  FiberKernel kernel = FiberKernel::stable;
  bool stored = true;
  std::string words;  // for the user: the choice, and its reason
};

// Memory of the device: free now, and in total.
struct DeviceMemory {
  std::size_t free = 0, total = 0;
};

// `kernel`: an id of the simulation's kernels, or "auto", the fastest by `rates`: closed forms, stored or recomputed in
// every product, or sums over nodes. The kernels differ in rounding, so "auto" depends on the device alone, its
// specification and its total memory, and the same command uses the same kernel again. There is one exception: if three
// quarters of the free memory cannot hold even the partial sums of closed forms, it uses sums over nodes instead, and
// reports that. If they can hold the matrix, it is stored. Throws InputError for an unknown kernel.
Plan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                 DeviceMemory room, FiberRates rates);
// With the usual rates.
Plan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                 DeviceMemory room);

// Id of a kernel, and the kernel of an id other than "auto"; throws InputError if there is none.
const std::string& fiber_word(FiberKernel kernel);
FiberKernel fiber_kernel_of(const std::string& id);

}  // namespace perturb::fibers
