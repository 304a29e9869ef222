// Stands in for lbm_kernels.cu in builds without CUDA.
#include "cuda/core/parallel_for.h"
#include "cuda/lbm/lbm_kernels.h"

namespace perturb {

namespace {

template <class T>
void step(Backend& backend, const char* label, const LbmPass& pass, const LbmPopulations<T>& from,
          const LbmPopulations<T>& to, int features) {
  const Range2D range{pass.width, pass.height};
  switch (features) {
    case lbm_plain:
      parallel_for(backend, label, range, LbmStep<T, lbm_plain>{pass, from, to});
      break;
    case lbm_forced:
      parallel_for(backend, label, range, LbmStep<T, lbm_forced>{pass, from, to});
      break;
    case lbm_eddies:
      parallel_for(backend, label, range, LbmStep<T, lbm_eddies>{pass, from, to});
      break;
    default:
      parallel_for(backend, label, range, LbmStep<T, lbm_forced | lbm_eddies>{pass, from, to});
      break;
  }
}

}  // namespace

int lbm_kernel_steps(LbmKernel kernel, int, int) {
  return kernel == LbmKernel::fused || kernel == LbmKernel::half ? 1 : 0;
}

bool lbm_run_kernel(Backend& backend, LbmKernel, const LbmPass& pass, const LbmPopulations<float>& from,
                    const LbmPopulations<float>& to, int features, int) {
  step(backend, "lbm.fused", pass, from, to, features);
  return true;
}

void lbm_run_half(Backend& backend, const LbmPass& pass, const LbmPopulations<Half>& from,
                  const LbmPopulations<Half>& to, int features) {
  step(backend, "lbm.half", pass, from, to, features);
}

LaunchShape lbm_kernel_shape(LbmKernel, const LbmPass&, int) { return {}; }

}  // namespace perturb
