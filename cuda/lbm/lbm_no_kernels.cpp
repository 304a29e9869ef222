// Stands in for the .cu files in builds without CUDA, where no backend asks for them.
#include "cuda/core/check.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb {

namespace {
[[noreturn]] void refuse() { throw Error("internal: a kernel for CUDA in a build without it"); }
}  // namespace

void lbm_cuda_step(Backend&, LbmKernel, const LbmPass&, const LbmPopulations<float>&, const LbmPopulations<float>&,
                   int) {
  refuse();
}
void lbm_cuda_half(Backend&, const LbmPass&, const LbmPopulations<Half>&, const LbmPopulations<Half>&, int) {
  refuse();
}
int lbm_temporal_steps(const LbmPass&, int) { refuse(); }
void lbm_run_temporal(Backend&, const LbmPass&, const LbmPopulations<float>&, const LbmPopulations<float>&, int, int,
                      LbmMarkedBands&) {
  refuse();
}
LaunchShape lbm_temporal_shape(const LbmPass&, int) { refuse(); }
std::vector<LbmPartShape> lbm_split_shapes(int) { return {}; }
LaunchShape lbm_kernel_shape(LbmKernel, const LbmPass&, int) { return {}; }

}  // namespace perturb
