#include "cuda/lbm/lbm_kernels.h"

#include <algorithm>

#include "cuda/core/parallel_for.h"
#include "cuda/lbm/lbm_cpu_steps.h"
#include "cuda/lbm/lbm_in_place.h"

namespace perturb::lbm {

int lbm_kernel_steps(const Backend& backend, LbmKernel kernel, const LbmPass& pass, int wanted) {
  if (kernel == LbmKernel::in_place) return std::min(wanted, 2);
  if (kernel != LbmKernel::temporal) return 1;
  return backend.is_cuda() ? lbm_temporal_steps(pass, wanted) : std::min(wanted, lbm_cpu_most_steps(pass.width));
}

bool lbm_run_kernel(Backend& backend, LbmKernel kernel, const LbmPass& pass, const LbmPopulations<float>& from,
                    const LbmPopulations<float>& to, int features, int steps, LbmMarkedBands& bands) {
  if (kernel == LbmKernel::in_place) {
    lbm_with_features(features,
                      [&](auto constant) { lbm_step_in_place<decltype(constant)::value>(backend, pass, from, steps); });
    return false;
  }
  if (!backend.is_cuda()) {
    lbm_cpu_steps(backend, pass, from, to, features, steps);
    return steps % 2 != 0;
  }
  if (kernel == LbmKernel::temporal && steps > 1)
    lbm_run_temporal(backend, pass, from, to, features, steps, bands);
  else
    lbm_cuda_step(backend, kernel, pass, from, to, features);
  return true;
}

void lbm_run_half(Backend& backend, const LbmPass& pass, const LbmPopulations<Half>& from,
                  const LbmPopulations<Half>& to, int features) {
  if (backend.is_cuda()) {
    lbm_cuda_half(backend, pass, from, to, features);
    return;
  }
  lbm_with_features(features, [&](auto constant) {
    parallel_for(backend, "lbm.half", Range2D{pass.width, pass.height},
                 LbmStep<Half, decltype(constant)::value>{pass, from, to});
  });
}

}  // namespace perturb::lbm
