// The tuned and the historical CUDA kernels of the wave, selected by name.
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// Two time levels of the tank, and two more of the same shape to write to. Rows are padded (Field): kernels access
// units of 16 bytes, so they may write to the padding, which is never read.
template <class Real>
struct Levels {
  View2D<Real> u, u_previous;          // in: the levels t and t-1. out: t+steps and t+steps-1
  View2D<Real> spare, spare_previous;  // for `temporal` and `convolution`; the others work in place
};

enum class Kernel { convolution, fused, vectorised, temporal };

// Maximum number of steps per call of this kernel: 1, or more for `temporal` (12 in FP32, 6 in FP64), for tanks of any
// size. 0: a build without CUDA.
int kernel_steps(Kernel kernel, int width, int height, int bytes_per_real);

// Takes `steps` steps (1 .. kernel_steps) with one pass over memory, queued on the backend's stream. Returns true if
// the result is in the spare fields (`temporal`): the caller then swaps u with spare and u_previous with
// spare_previous. Otherwise level t+1 has overwritten t-1, and the caller swaps u and u_previous. All kernels are
// bit-identical to wave_cell. `temporal` supports the five-point stencil only, the others both stencils. The other
// contents of the spare fields are lost.
template <class Real>
bool run_kernel(Backend& backend, Kernel kernel, const StepParams<Real>& params, const Levels<Real>& levels, int steps);

// Registers, block size and occupancy of the kernel; for `temporal`, of the version with the most steps, on a tank
// without sponge or sources.
LaunchShape wave_kernel_shape(Kernel kernel, int width, int height, int bytes_per_real);

}  // namespace perturb::wave
