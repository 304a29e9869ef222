// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/wave/wave_kernels.h"

namespace perturb::wave {

int kernel_steps(Kernel, int, int, int) { return 0; }

template <class Real>
bool run_kernel(Backend&, Kernel, const Pass<Real>&, const Levels<Real>&, int) {
  no_kernels();
}
template bool run_kernel(Backend&, Kernel, const Pass<float>&, const Levels<float>&, int);
template bool run_kernel(Backend&, Kernel, const Pass<double>&, const Levels<double>&, int);

LaunchShape wave_kernel_shape(Kernel, int, int, int) { return {}; }

}  // namespace perturb::wave
