// Steps with a cell function that a user has edited (core/simulation/edited_kernel.h).
#pragma once

#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/model/surface.h"

namespace perturb::wave {

// Takes `steps` steps, at most max_wave_steps_per_pass, on the CPU or on CUDA, and returns their number. Throws
// EditedKernelError, also if a height is no longer finite; the surface is then unchanged.
template <class Real>
int edited_pass(Backend& backend, EditedKernel& kernel, const StepParams<Real>& params, Surface<Real>& surface,
                int steps);

extern template int edited_pass<float>(Backend&, EditedKernel&, const StepParams<float>&, Surface<float>&, int);
extern template int edited_pass<double>(Backend&, EditedKernel&, const StepParams<double>&, Surface<double>&, int);

}  // namespace perturb::wave
