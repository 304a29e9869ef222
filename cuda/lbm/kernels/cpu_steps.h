// Steps of the flow on CPU threads, whole rows in vector instructions, several steps with one pass over memory where
// rows are short enough to stay in the cache (cuda/core/loops/skewed_rows.h).
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/lbm/model/step_params.h"

namespace perturb::lbm {

// Takes `steps` >= 1 steps from `from`, writing into `to` and `from` in turns: the result lies in `to` when
// `steps` is odd, else in `from`. The bits are those of cell_step, whatever the number of threads.
// `features`: a Feature sum.
void cpu_steps(Backend& backend, const StepParams& params, const Populations<float>& from, const Populations<float>& to,
               int features, int steps);

// Steps beyond which a pass gains nothing, because a thread's rows would no longer stay in its cache; at least 1.
int cpu_max_steps(int width);

}  // namespace perturb::lbm
