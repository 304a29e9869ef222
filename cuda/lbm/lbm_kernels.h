// The ways to take a step, by the names of the kernel laboratory. In builds without CUDA lbm_no_kernels.cpp stands in: it has
// those that are one functor (`fused`, `half`).
#pragma once

#include "cuda/core/backend.h"
#include "cuda/core/simulation.h"
#include "cuda/lbm/lbm_pass.h"

namespace perturb {

enum class LbmKernel { unsplit, split, fused, half, in_place, temporal };

// Most steps that one call of this kernel can take; 0: this build or this flow cannot use it. `temporal` needs some size, and
// no outlet; `in_place` takes any number, two at a time.
int lbm_kernel_steps(LbmKernel kernel, const LbmPass& pass);

// Takes `steps` steps (1 .. lbm_kernel_steps) in FP32 storage, queued. Returns whether the result lies in `to`; `in_place`
// leaves it in `from` and needs no `to`. All give the bits of lbm_cell_step. `features`: an LbmFeature sum.
bool lbm_run_kernel(Backend& backend, LbmKernel kernel, const LbmPass& pass, const LbmPopulations<float>& from,
                    const LbmPopulations<float>& to, int features, int steps);
// One step in 16-bit storage.
void lbm_run_half(Backend& backend, const LbmPass& pass, const LbmPopulations<Half>& from, const LbmPopulations<Half>& to,
                  int features);

// Registers, block and occupancy of what would run; zeros where unknown.
LaunchShape lbm_kernel_shape(LbmKernel kernel, const LbmPass& pass, int features);

}  // namespace perturb
