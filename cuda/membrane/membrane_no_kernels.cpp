// In the place of the .cu files in builds without CUDA, where nobody calls it.
#include "cuda/core/no_kernels.h"
#include "cuda/membrane/membrane_kernels.h"

namespace perturb::membrane {

void membrane_cuda_cells(Backend&, const MembraneView&, const MembraneForm&, const MembraneTargets&, const int*, int,
                         int) {
  no_kernels();
}
void membrane_cuda_tensor(Backend&, const MembraneView&, const MembraneTables*, const MembraneTargets&) {
  no_kernels();
}
void membrane_cuda_rows(Backend&, const char*, const MembraneView&, const MembraneMatrix&, const double*, double*,
                        double*, const int*, int, int, const double*) {
  no_kernels();
}
LaunchShape membrane_cuda_shape(MembraneKernel, int) { return {}; }

}  // namespace perturb::membrane
