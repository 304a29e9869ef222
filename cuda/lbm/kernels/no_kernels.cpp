// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"

namespace perturb::lbm {

void cuda_step(Backend&, Kernel, const StepParams&, const Populations<float>&, const Populations<float>&, int) {
  no_kernels();
}
void cuda_half(Backend&, const StepParams&, const Populations<Half>&, const Populations<Half>&, int) { no_kernels(); }
void cuda_velocities(Backend&, VelocityPart, const StepParams&, const Populations<float>&, const Populations<float>&) {
  no_kernels();
}
int temporal_steps(const StepParams&, int) { no_kernels(); }
void run_temporal(Backend&, const StepParams&, const Populations<float>&, const Populations<float>&, int, int,
                  MarkedBands&) {
  no_kernels();
}
int streams_resident(const StepParams&, int, const MarkedBands&) { no_kernels(); }
LaunchShape temporal_shape(const StepParams&, int) { no_kernels(); }
std::vector<PartShape> split_shapes(int) { return {}; }
LaunchShape kernel_shape(Kernel, const StepParams&, int) { return {}; }

}  // namespace perturb::lbm
