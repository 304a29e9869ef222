// Several steps of the flow in one pass over memory, on CUDA (lbm_temporal.cu).
#pragma once

#include "cuda/core/backend.h"
#include "cuda/core/simulation.h"
#include "cuda/lbm/lbm_pass.h"

namespace perturb {

// The most steps that a pass takes on this flow, if `wanted` (>= 1) are to come: 6, 4, 2, or 1 (which is for `fused`).
int lbm_temporal_steps(const LbmPass& pass, int wanted);

// Takes as many steps, more than one, from `from` to `to`, queued; the bits are those of as many single steps. Any size, any sides and walls.
// Throws Error if a launch failed.
void lbm_run_temporal(Backend& backend, const LbmPass& pass, const LbmPopulations<float>& from,
                      const LbmPopulations<float>& to, int features, int steps);

LaunchShape lbm_temporal_shape(const LbmPass& pass, int features);

}  // namespace perturb
