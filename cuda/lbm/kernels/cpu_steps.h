// Flow steps on CPU threads, with whole rows in vector instructions. Where rows are short enough to stay in the cache,
// several steps share one pass over memory (cuda/core/loops/skewed_rows.h).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Takes `steps` >= 1 steps from `from`, writing alternately into `to` and `from`. The result is in `to` when
// `steps` is odd, else in `from`. It is bit-identical to cell_step for any number of threads.
// `features`: a Feature sum.
void cpu_steps(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
               int features, int steps);

// Largest useful number of steps per pass: with more, a thread's rows no longer fit into its cache. At least 1.
int cpu_max_steps(int width);

}  // namespace perturb::lbm
