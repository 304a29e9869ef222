// Arithmetic for cell functions that is the same on both backends: 1/x, subnormal numbers.
#pragma once

#include <cmath>
#include <limits>

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

// Subnormal numbers. CPU threads and CUDA are set to flush them to zero (cpu_backend.cpp, --ftz=true). WebAssembly
// has no such setting, and there a core may take a hundred times as long for each.
#if defined(__wasm__)
inline constexpr bool subnormals_flushed = false;
#else
inline constexpr bool subnormals_flushed = true;
#endif

// x; flushes a subnormal to 0 where the processor does not.
template <class Real>
PERTURB_HD inline Real flush_subnormal(Real x) {
  if constexpr (subnormals_flushed)
    return x;
  else
    return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

}  // namespace perturb
