// 1/x for cell functions.
#pragma once

#include <cmath>

#include "cuda/core/backend/host_device.h"

namespace perturb {

// 1/x, rounded to nearest, for x whose reciprocal is in the normal range (about 1e-37 to 1e37 in size); beyond it a GPU
// may give NaN where a CPU gives 0 or infinity. On CUDA the compiler's own division is a branch and a call, which
// prevent the calculations of neighbouring cells from running in parallel. This is only its middle part: the device's
// estimate, correct except for the last bit, and a Newton step that ends in one rounding (proved by trying all
// mantissas, tests/core/reciprocal_kernels_test.cpp).
PERTURB_HD inline float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float guess;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(x));
  return ::fmaf(::fmaf(-x, guess, 1.f), guess, guess);
#else
  return 1.f / x;
#endif
}

}  // namespace perturb
