// For <simulation>_no_kernels.cpp, which stands in for the .cu files in builds without CUDA.
#pragma once

#include "cuda/core/backend/check.h"

namespace perturb {

// Instead of a launch. Nobody comes here: without CUDA there is no backend whose kernels these are.
[[noreturn]] inline void no_kernels() { throw Error("internal: a kernel for CUDA in a build without it"); }

}  // namespace perturb
