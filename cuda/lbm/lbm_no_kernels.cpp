// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_temporal.h"

namespace perturb::lbm {

void cuda_step(Backend&, Kernel, const Pass&, const Populations<float>&, const Populations<float>&, int) {
  no_kernels();
}
void cuda_half(Backend&, const Pass&, const Populations<Half>&, const Populations<Half>&, int) { no_kernels(); }
int temporal_steps(const Pass&, int) { no_kernels(); }
void run_temporal(Backend&, const Pass&, const Populations<float>&, const Populations<float>&, int, int, MarkedBands&) {
  no_kernels();
}
LaunchShape temporal_shape(const Pass&, int) { no_kernels(); }
std::vector<PartShape> split_shapes(int) { return {}; }
LaunchShape kernel_shape(Kernel, const Pass&, int) { return {}; }

}  // namespace perturb::lbm
