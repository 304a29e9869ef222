#include "cuda/lbm/kernels/kernels.h"

#include <algorithm>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/lbm/kernels/in_place.h"
#include "cuda/lbm/model/curved.h"

namespace perturb::lbm {

int kernel_steps(const Backend& backend, Kernel kernel, const StepParams& params, int wanted, bool curved) {
  if (kernel == Kernel::in_place) return std::min(wanted, 2);
  if (kernel != Kernel::temporal) return 1;
  if (backend.is_cuda()) return temporal_steps(params, wanted);
  return std::min(wanted, cpu_max_steps(params.width, curved ? CurvedRows::reach : 1));
}

bool run_kernel(Backend& backend, Kernel kernel, const StepParams& params, const Populations<float>& from,
                const Populations<float>& to, int features, int steps, MarkedBands& bands, const CurvedRows& curved) {
  if (kernel == Kernel::in_place) {
    with_features(features,
                  [&](auto constant) { step_in_place<decltype(constant)::value>(backend, params, from, steps); });
    return false;
  }
  if (!backend.is_cuda()) {
    cpu_steps(backend, params, from, to, features, steps, curved);
    return steps % 2 != 0;
  }
  if (kernel == Kernel::temporal && steps > 1)
    run_temporal(backend, params, from, to, features, steps, bands);
  else
    cuda_step(backend, kernel, params, from, to, features);
  return true;
}

void run_half(Backend& backend, const StepParams& params, const Populations<Half>& from, const Populations<Half>& to,
              int features) {
  if (backend.is_cuda()) {
    cuda_half(backend, params, from, to, features);
    return;
  }
  with_features(features, [&](auto constant) {
    parallel_for(backend, "lbm.half", Range2D{params.width, params.height},
                 Step<Half, decltype(constant)::value>{params, from, to});
  });
}

}  // namespace perturb::lbm
