// Replaces the .cu files in builds without CUDA; never called.
#include "cuda/core/backend/check.h"
#include "cuda/wave/kernels/kernels.h"

namespace perturb::wave {

int kernel_steps(Kernel, int, int, int) { return 0; }

template <class Real>
bool run_kernel(Backend&, Kernel, const StepParams<Real>&, const Levels<Real>&, int, LoopBlock) {
  no_kernels();
}
template bool run_kernel(Backend&, Kernel, const StepParams<float>&, const Levels<float>&, int, LoopBlock);
template bool run_kernel(Backend&, Kernel, const StepParams<double>&, const Levels<double>&, int, LoopBlock);

template <class Real>
int temporal_resident(const StepParams<Real>&, int) {
  no_kernels();
}
template int temporal_resident(const StepParams<float>&, int);
template int temporal_resident(const StepParams<double>&, int);

LaunchShape wave_kernel_shape(Kernel, int, int, int) { return {}; }

}  // namespace perturb::wave
