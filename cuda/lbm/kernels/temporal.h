// Several steps of the flow in one pass over memory, on CUDA (kernels/temporal.cu).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Where in the grid the kernel meets walls. The kernel finds out anew where `known` is false.
struct MarkedBands {
  bool known = false;  // set to false with every change of Pass::links
  int many = 0;
  Array<std::uint8_t> marked;
  Array<int> list, count;
};

// The most steps that a pass takes on this flow, if `wanted` (>= 1) are to come: 6, 4, 2, or 1 (which is for `fused`).
int temporal_steps(const StepParams& params, int wanted);

// Takes as many steps, more than one, from `from` to `to`, queued; the bits are those of as many single steps. Any
// size, any sides and walls. Throws Error if a launch failed, or memory (some thousandth of a byte a cell) is refused.
void run_temporal(Backend& backend, const StepParams& params, const Populations<float>& from,
                  const Populations<float>& to, int features, int steps, MarkedBands& bands);

LaunchShape temporal_shape(const StepParams& params, int features);

}  // namespace perturb::lbm
