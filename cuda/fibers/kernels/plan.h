// How an evaluation is computed: which kernel, and whether the matrix is stored.
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
  std::string words;  // for the user: what was chosen, and why
};

// The memory of the device: what is free now, and all of it.
struct DeviceMemory {
  std::size_t free = 0, total = 0;
};

// `kernel`: an id of the simulation's kernels, or "auto", the fastest by `rates`: closed forms, stored or computed anew
// in every product, or sums over nodes. The kernels differ in rounding, so "auto" looks at the device alone, its
// specification and its whole memory, and the same command takes the same kernel again. Only where three quarters of
// the free memory do not even hold the partial sums of closed forms, it takes sums over nodes instead, and says so.
// Where they hold the matrix, it is stored. Throws InputError for an unknown kernel.
Plan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                 DeviceMemory room, FiberRates rates);
// With the usual rates.
Plan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                 DeviceMemory room);

// A kernel's id, and the kernel of an id other than "auto"; throws InputError where there is none.
const std::string& fiber_word(FiberKernel kernel);
FiberKernel fiber_kernel_of(const std::string& id);

}  // namespace perturb::fibers
