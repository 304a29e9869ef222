// Tuned kernels of the membrane's assembly; a build without CUDA has stand-ins.
#pragma once

#include "cuda/membrane/model/algebra.h"
#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

// `first` of `count` cells of the schedule lie under `over` patches each and share none. For covers of one degree.
void cuda_cells(Backend& backend, const SpaceView& view, const Form& form, const Targets& targets, const int* schedule,
                int count, int over);
// For uniform covers of one degree.
void cuda_tensor(Backend& backend, const SpaceView& view, const Tables* tables, const Targets& targets);
// y = A x for `count` patches (those of `list`, or all where there is none), or y = right - A x where a right-hand side
// is given. With `inverse` ([patches][most²]) x itself is relaxed: x_i += (A_ii)⁻¹ (right - A x)_i, for patches that do
// not overlap. `most`: functions of the highest degree.
void cuda_rows(Backend& backend, const char* label, const SpaceView& view, const Matrix& matrix, const double* right,
               double* x, double* y, const int* list, int count, int most, const double* inverse);
LaunchShape cuda_shape(Kernel kernel, int degree);

}  // namespace perturb::membrane
