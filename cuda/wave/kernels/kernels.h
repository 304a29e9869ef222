// The kernels of the wave: the tuned and the historical CUDA kernels, selected by name, and steps on CPU threads.
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/wave/model/levels.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

enum class Kernel { convolution, fused, vectorised, temporal };

// Maximum number of steps per call of this kernel: 1, or more for `temporal` (12 in FP32, 6 in FP64), for tanks of any
// size. 0: a build without CUDA.
int kernel_steps(Kernel kernel, int width, int height, int bytes_per_real);

// Takes `steps` steps (1 .. kernel_steps) with one pass over memory, queued on the backend's stream. Returns true if
// the result is in the spare fields (`temporal`): the caller then swaps u with spare and u_previous with
// spare_previous. Otherwise level t+1 has overwritten t-1, and the caller swaps u and u_previous. All kernels are
// bit-identical to wave_cell. `temporal` supports the five-point stencil only, the others both stencils. The other
// contents of the spare fields are lost. `block`: of `fused`.
template <class Real>
bool run_kernel(Backend& backend, Kernel kernel, const StepParams<Real>& params, const Levels<Real>& levels, int steps,
                LoopBlock block = {});

// Registers, block size and occupancy of the kernel; for `temporal`, of the version with the most steps, on a tank
// without sponge or sources.
LaunchShape wave_kernel_shape(Kernel kernel, int width, int height, int bytes_per_real);

// ---- `temporal`: several steps in one pass over memory, on CUDA (kernels/temporal.cu)

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

// Number of warps of the kernel for this number of steps that the device can hold at once.
template <class Real>
int temporal_resident(const StepParams<Real>& params, int steps);

// Launch shape of the kernel with the most levels, for a plain tank.
template <class Real>
LaunchShape temporal_shape();

// ---- CPU threads: several steps with one pass over memory (kernels/cpu_steps.cpp)
//
// A single step is bound by memory: 12 bytes per cell. Here rows are updated in a skewed order, level 1 on row j, level
// 2 on row j-1, level 3 on row j-2, ..., so that a row stays in the cache from its first level to its last; memory is
// accessed once for all of them (16 bytes per cell in total, for any number of steps). Two fields suffice: level l
// overwrites level l-2, which is no longer needed. The order of rows and threads: cuda/core/loops/skewed_rows.h.

// Takes `steps` (1 .. max_wave_steps_per_pass) steps from the levels u (t) and u_previous (t-1). Afterwards level
// t+steps is in `u_previous` when `steps` is odd and in `u` when it is even; the level before it in the other. The
// result is bit-identical to wave_cell for any number of threads. Hard sources in params.sources are indexed by level,
// as for any kernel.
template <class Real>
void cpu_steps(Backend& backend, const StepParams<Real>& params, View2D<Real> u, View2D<Real> u_previous, int steps);

// Largest useful number of steps per pass: with more, a thread's rows no longer fit into its cache. At least 1.
int cpu_max_steps(int width, int bytes_per_real);

}  // namespace perturb::wave
