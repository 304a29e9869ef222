// The ways to take a step, by the names of the kernel laboratory. In builds without CUDA lbm_no_kernels.cpp stands in: it has
// those that are one functor (`fused`, `half`).
#pragma once

#include "cuda/core/backend.h"
#include "cuda/core/simulation.h"
#include "cuda/lbm/lbm_pass.h"

namespace perturb {

enum class LbmKernel { unsplit, split, fused, half, in_place, temporal };

// How many of `wanted` steps (>= 1) the next call of this kernel takes; 0: this build cannot use it.
int lbm_kernel_steps(LbmKernel kernel, int features, int wanted);

// Takes that many steps in FP32 storage, queued. Returns whether the result lies in `to`; `in_place` leaves it in `from` and
// needs no `to`. All give the bits of lbm_cell_step. `features`: an LbmFeature sum.
bool lbm_run_kernel(Backend& backend, LbmKernel kernel, const LbmPass& pass, const LbmPopulations<float>& from,
                    const LbmPopulations<float>& to, int features, int steps);
// One step in 16-bit storage.
void lbm_run_half(Backend& backend, const LbmPass& pass, const LbmPopulations<Half>& from,
                  const LbmPopulations<Half>& to, int features);

// Registers, block and occupancy of what would run; zeros where unknown.
LaunchShape lbm_kernel_shape(LbmKernel kernel, const LbmPass& pass, int features);

}  // namespace perturb
