// For <simulation>_no_kernels.cpp, which replaces the .cu files in builds without CUDA.
#pragma once

#include "cuda/core/backend/check.h"

namespace perturb {

// Replaces a launch. Never called: without CUDA there is no backend for these kernels.
[[noreturn]] inline void no_kernels() { throw Error("internal: a kernel for CUDA in a build without it"); }

}  // namespace perturb
