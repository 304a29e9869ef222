// Steps with a collision that a user has edited (core/simulation/edited_kernel.h).
#pragma once

#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/lbm/model/lattice.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Takes up to `steps` steps in FP32 storage, on the CPU or on CUDA, and returns how many. `features`: a Feature sum.
// Throws EditedKernelError, also if a population is no longer finite; the lattice is then unchanged.
int edited_pass(Backend& backend, EditedKernel& kernel, const StepParams& params, int features, Lattice& lattice,
                int steps);

}  // namespace perturb::lbm
