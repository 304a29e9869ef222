// Several steps of the wave in one pass over memory, on CUDA (kernels/temporal.cu).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/kernels/kernels.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// The most steps of a pass. FP64 rows take twice the registers, so FP64 has half as many levels.
template <class Real>
constexpr int max_temporal_steps = sizeof(Real) == 8 ? 6 : 12;
static_assert(max_temporal_steps<float> <= max_wave_steps_per_pass);

// Whether the tank has rows that need the slower versions of the code: absorbing sides, a sponge, sources.
template <class Real>
bool is_special(const StepParams<Real>& params) {
  return params.has_absorbing() || !params.sponge_x.empty() || params.sources.count > 0;
}

// Takes 1 .. max_temporal_steps steps; the result is in the spare fields.
template <class Real>
void step_temporal(Backend& backend, const StepParams<Real>& params, const Levels<Real>& levels, int steps);

// Launch shape of the kernel with the most levels, for a plain tank.
template <class Real>
LaunchShape temporal_shape();

}  // namespace perturb::wave
