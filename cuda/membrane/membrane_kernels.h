// Tuned kernels of the membrane's assembly; a build without CUDA has stand-ins.
#pragma once

#include "cuda/membrane/membrane_assembly.h"

namespace perturb {

// `first` of `count` cells of the schedule lie under `over` patches each and share none. For covers of one degree.
void membrane_cuda_cells(Backend& backend, const MembraneView& view, const MembraneForm& form,
                         const MembraneTargets& targets, const int* schedule, int count, int over);
// For uniform covers of one degree.
void membrane_cuda_tensor(Backend& backend, const MembraneView& view, const MembraneTables* tables,
                          const MembraneTargets& targets);
LaunchShape membrane_cuda_shape(MembraneKernel kernel, int degree);

}  // namespace perturb
