// The tuned and the historical CUDA kernels of the wave, selected by name.
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// Two time levels of the tank, and two more of the same shape to write to. Rows are padded (Field): kernels read and
// write in units of 16 bytes, and so may write to the padding, which is never read.
template <class Real>
struct Levels {
  View2D<Real> u, u_previous;          // in: the levels t and t-1. out: t+steps and t+steps-1
  View2D<Real> spare, spare_previous;  // for `temporal` and `convolution`; the others work in place
};

enum class Kernel { convolution, fused, vectorised, temporal };

// Most steps that one call of this kernel can take: 1, or more for `temporal` (12 in FP32, 6 in FP64), for tanks of any
// size. 0: a build without CUDA.
int kernel_steps(Kernel kernel, int width, int height, int bytes_per_real);

// Takes `steps` steps (1 .. kernel_steps) with one pass over memory, queued on the backend's stream. Where the
// result lies in the spare fields afterwards (`temporal`), returns true: the caller then swaps u with spare and
// u_previous with spare_previous. Otherwise level t+1 has been written over t-1: the caller swaps u and u_previous. All
// kernels give the bits of wave_cell; `temporal` has five points alone, the others either stencil. What the spare
// fields hold otherwise is lost.
template <class Real>
bool run_kernel(Backend& backend, Kernel kernel, const StepParams<Real>& params, const Levels<Real>& levels, int steps);

// Registers, block size and occupancy of the kernel; for `temporal` that of the most steps on a tank
// without sponge or sources.
LaunchShape wave_kernel_shape(Kernel kernel, int width, int height, int bytes_per_real);

}  // namespace perturb::wave
