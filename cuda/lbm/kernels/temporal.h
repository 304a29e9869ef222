// Several steps of the flow in one pass over memory, on CUDA (kernels/temporal.cu).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// The bands of the grid that walls affect. The kernel finds them again where `known` is false.
struct MarkedBands {
  bool known = false;  // set to false with every change of StepParams::links
  int many = 0;
  Array<std::uint8_t> marked;
  Array<int> list, count;
};

// The largest number of steps per pass on this flow when `wanted` (>= 1) are requested: 6, 4, 2, or 1 (for `fused`).
int temporal_steps(const StepParams& params, int wanted);

// Queues `steps` > 1 steps from `from` to `to`; bit-identical to as many single steps. Supports any size, sides and
// walls. Throws Error if a launch failed, or if memory (about a thousandth of a byte per cell) is not available.
void run_temporal(Backend& backend, const StepParams& params, const Populations<float>& from,
                  const Populations<float>& to, int features, int steps, MarkedBands& bands);

LaunchShape temporal_shape(const StepParams& params, int features);

}  // namespace perturb::lbm
