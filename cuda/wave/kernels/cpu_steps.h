// Several time steps of the wave on CPU threads with one pass over memory.
//
// The limit of a step at a time is memory: 12 bytes a cell. Here rows are updated in a skewed order, level 1 on row j,
// level 2 on row j-1, level 3 on row j-2, ..., so that a row stays in the cache from its first level to its last;
// memory is touched once for all of them (16 bytes a cell in all, however many steps). Two fields are enough, in place:
// level l is written over level l-2, which is no longer needed. How rows and threads follow each other:
// cuda/core/loops/skewed_rows.h.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// Takes `steps` (1 .. max_wave_steps_per_pass) steps from the levels u (t) and u_previous (t-1). Afterwards level
// t+steps is in `u_previous` when `steps` is odd and in `u` when it is even; the level before it in the other. The
// result
// is bit-identical to wave_cell for any number of threads. Hard sources in params.sources are by level, as for any
// kernel.
// `fades`: subnormal numbers are set to zero explicitly, where the processor does not do so.
template <class Real>
void cpu_steps(Backend& backend, const StepParams<Real>& params, View2D<Real> u, View2D<Real> u_previous, int steps,
               bool fades = false);

// Whether waves fade in the field, as they do ahead of a front and in a sponge: through numbers so small that some of
// the next steps' will be tiny ones (cuda/core/math/subnormal.h). Not asked for where those are zero anyhow.
template <class Real>
bool cpu_fades(View2D<const Real> u);

// Largest useful number of steps per pass: with more, a thread's rows no longer fit into its cache. At least 1.
int cpu_max_steps(int width, int bytes_per_real);

}  // namespace perturb::wave
