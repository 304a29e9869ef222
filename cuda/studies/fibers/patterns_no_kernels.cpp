// Replaces patterns_kernels.cu in builds without CUDA, where it is never called.
#include "cuda/core/backend/check.h"
#include "cuda/studies/fibers/patterns.h"

namespace perturb::fibers::detail {

void loop_pattern_cuda(Backend&, LoopPattern, int, int, int, const double*, double*) { no_kernels(); }
void shared_pattern_cuda(Backend&, SharedPattern, int, int, double*) { no_kernels(); }

}  // namespace perturb::fibers::detail
