// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb::lbm {

void lbm_cuda_step(Backend&, LbmKernel, const LbmPass&, const LbmPopulations<float>&, const LbmPopulations<float>&,
                   int) {
  no_kernels();
}
void lbm_cuda_half(Backend&, const LbmPass&, const LbmPopulations<Half>&, const LbmPopulations<Half>&, int) {
  no_kernels();
}
int lbm_temporal_steps(const LbmPass&, int) { no_kernels(); }
void lbm_run_temporal(Backend&, const LbmPass&, const LbmPopulations<float>&, const LbmPopulations<float>&, int, int,
                      LbmMarkedBands&) {
  no_kernels();
}
LaunchShape lbm_temporal_shape(const LbmPass&, int) { no_kernels(); }
std::vector<LbmPartShape> lbm_split_shapes(int) { return {}; }
LaunchShape lbm_kernel_shape(LbmKernel, const LbmPass&, int) { return {}; }

}  // namespace perturb::lbm
