// Tuned kernels of the membrane's assembly; a build without CUDA has stubs.
#pragma once

#include "cuda/membrane/model/algebra.h"
#include "cuda/membrane/model/assembly.h"
#include "cuda/membrane/model/spectrum.h"

namespace perturb::membrane {

// The `count` cells of `schedule` lie under `over` patches each and share none. For covers of one degree.
void cuda_cells(Backend& backend, const SpaceView& view, const Form& form, const Targets& targets, const int* schedule,
                int count, int over);
// For uniform covers of one degree.
void cuda_tensor(Backend& backend, const SpaceView& view, const Tables* tables, const Targets& targets);
// y = A x for `count` patches (those of `list`, or all if it is null), or y = right - A x if there is a right-hand
// side. With `inverse` ([patches][most²]) relaxes x itself: x_i += (A_ii)⁻¹ (right - A x)_i, for patches that do not
// overlap. `block_side`: number of functions of the highest degree.
void cuda_rows(Backend& backend, const char* label, const SpaceView& view, const Matrix& matrix, const double* right,
               double* x, double* y, const int* list, int count, int block_side, const double* inverse);
// The two halves of a direct solution: the coordinates of a load, and the solution u + i q from them; q may be null.
void cuda_project(Backend& backend, const SpectrumView& view, const double* load, double* coordinates);
void cuda_expand(Backend& backend, const SpectrumView& view, const double* coordinates, double shift, double coupling,
                 double* u, double* q);
LaunchShape cuda_shape(Kernel kernel, int degree);

}  // namespace perturb::membrane
