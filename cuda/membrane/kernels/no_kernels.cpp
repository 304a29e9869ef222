// Replaces the .cu files in builds without CUDA, where nothing calls these functions.
#include "cuda/core/backend/check.h"
#include "cuda/membrane/model/kernels.h"

namespace perturb::membrane {

void cuda_cells(Backend&, const SpaceView&, const Form&, const Targets&, const int*, int, int) { no_kernels(); }
void cuda_tensor(Backend&, const SpaceView&, const Tables*, const Targets&) { no_kernels(); }
void cuda_rows(Backend&, const char*, const SpaceView&, const Matrix&, const double*, double*, double*, const int*, int,
               int, const double*) {
  no_kernels();
}
void cuda_project(Backend&, const SpectrumView&, const double*, double*) { no_kernels(); }
void cuda_expand(Backend&, const SpectrumView&, const double*, double, double, double*, double*) { no_kernels(); }
LaunchShape cuda_shape(Kernel, int) { return {}; }

}  // namespace perturb::membrane
