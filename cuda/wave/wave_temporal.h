// Several steps of the wave in one pass over memory, on CUDA. How: wave_temporal.cu.
#pragma once

#include "cuda/core/backend.h"
#include "cuda/core/simulation.h"
#include "cuda/wave/wave_kernels.h"
#include "cuda/wave/wave_pass.h"

namespace perturb::wave {

// The most steps of a pass. FP64 rows take twice the registers, so it goes half as deep.
template <class Real>
constexpr int most_temporal_steps = sizeof(Real) == 8 ? 6 : 12;
static_assert(most_temporal_steps<float> <= max_wave_steps_per_pass);

// Whether the tank has rows that need the slower versions of the code: absorbing sides, a sponge, sources.
template <class Real>
bool is_special(const Pass<Real>& pass) {
  return pass.has_absorbing() || !pass.sponge_x.empty() || pass.sources.count > 0;
}

// Takes 1 .. most_temporal_steps steps; the result lies in the spare fields.
template <class Real>
void step_temporal(Backend& backend, const Pass<Real>& pass, const Levels<Real>& levels, int steps);

// Of the deepest kernel for a plain tank.
template <class Real>
LaunchShape temporal_shape();

}  // namespace perturb::wave
