// Stands in for wave_kernels.cu in builds without CUDA.
#include "cuda/core/check.h"
#include "cuda/wave/wave_kernels.h"

namespace perturb {

int wave_kernel_steps(WaveKernel, int, int, int) { return 0; }

template <class Real>
bool wave_run_kernel(Backend&, WaveKernel, const WavePass<Real>&, const WaveLevels<Real>&, int) {
  throw Error("The wave's CUDA kernels are not in this program: it was built without CUDA.");
}
template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<float>&, const WaveLevels<float>&, int);
template bool wave_run_kernel(Backend&, WaveKernel, const WavePass<double>&, const WaveLevels<double>&, int);

LaunchShape wave_kernel_shape(WaveKernel, int, int, int) { return {}; }

}  // namespace perturb
