// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb::lbm {

void lbm_cuda_step(Backend&, Kernel, const Pass&, const Populations<float>&, const Populations<float>&, int) {
  no_kernels();
}
void lbm_cuda_half(Backend&, const Pass&, const Populations<Half>&, const Populations<Half>&, int) { no_kernels(); }
int lbm_temporal_steps(const Pass&, int) { no_kernels(); }
void lbm_run_temporal(Backend&, const Pass&, const Populations<float>&, const Populations<float>&, int, int,
                      MarkedBands&) {
  no_kernels();
}
LaunchShape lbm_temporal_shape(const Pass&, int) { no_kernels(); }
std::vector<PartShape> lbm_split_shapes(int) { return {}; }
LaunchShape lbm_kernel_shape(Kernel, const Pass&, int) { return {}; }

}  // namespace perturb::lbm
