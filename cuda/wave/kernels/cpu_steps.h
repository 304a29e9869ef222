// Several time steps of the wave on CPU threads with one pass over memory.
//
// A single step is bound by memory: 12 bytes per cell. Here rows are updated in a skewed order, level 1 on row j, level
// 2 on row j-1, level 3 on row j-2, ..., so that a row stays in the cache from its first level to its last; memory is
// accessed once for all of them (16 bytes per cell in total, for any number of steps). Two fields suffice: level l
// overwrites level l-2, which is no longer needed. The order of rows and threads: cuda/core/loops/skewed_rows.h.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// Takes `steps` (1 .. max_wave_steps_per_pass) steps from the levels u (t) and u_previous (t-1). Afterwards level
// t+steps is in `u_previous` when `steps` is odd and in `u` when it is even; the level before it in the other. The
// result is bit-identical to wave_cell for any number of threads. Hard sources in params.sources are indexed by level,
// as for any kernel.
// `fades`: subnormal numbers are set to zero explicitly, where the processor does not do so.
template <class Real>
void cpu_steps(Backend& backend, const StepParams<Real>& params, View2D<Real> u, View2D<Real> u_previous, int steps,
               bool fades = false);

// Whether waves fade in the field, as ahead of a front and in a sponge: some values are so small that the next steps
// may produce subnormal numbers (cuda/core/math/subnormal.h). Not needed where the processor sets those to zero.
template <class Real>
bool cpu_fades(View2D<const Real> u);

// Largest useful number of steps per pass: with more, a thread's rows no longer fit into its cache. At least 1.
int cpu_max_steps(int width, int bytes_per_real);

}  // namespace perturb::wave
