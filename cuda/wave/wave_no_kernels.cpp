// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/wave/wave_kernels.h"

namespace perturb::wave {

int wave_kernel_steps(WaveKernel, int, int, int) { return 0; }

template <class Real>
bool wave_run_kernel(Backend&, WaveKernel, const WavePass<Real>&, const WaveLevels<Real>&, int) {
  no_kernels();
}
template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<float>&, const WaveLevels<float>&, int);
template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<double>&, const WaveLevels<double>&, int);

LaunchShape wave_kernel_shape(WaveKernel, int, int, int) { return {}; }

}  // namespace perturb::wave
