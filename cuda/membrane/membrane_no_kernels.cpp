// Stands in for membrane_kernels.cu where CUDA is off: never called, since no backend is CUDA's.
#include "cuda/core/check.h"
#include "cuda/membrane/membrane_kernels.h"

namespace perturb {

void membrane_cuda_cells(Backend&, const MembraneView&, const MembraneForm&, const MembraneTargets&, const int*, int,
                         int) {
  throw Error("internal: the membrane's kernels were not compiled for CUDA");
}
void membrane_cuda_tensor(Backend&, const MembraneView&, const MembraneTables*, const MembraneTargets&) {
  throw Error("internal: the membrane's kernels were not compiled for CUDA");
}
void membrane_cuda_rows(Backend&, const char*, const MembraneView&, const MembraneMatrix&, const double*, double*,
                        double*, const int*, int, int, const double*) {
  throw Error("internal: the membrane's kernels were not compiled for CUDA");
}
LaunchShape membrane_cuda_shape(MembraneKernel, int) { return {}; }

}  // namespace perturb
