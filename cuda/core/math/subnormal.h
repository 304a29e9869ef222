// Subnormal numbers. CPU threads and CUDA are set to flush them to zero (cpu_row_block.cpp, --ftz=true). WebAssembly
// has no such setting, and there a core may take a hundred times as long for each.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/core/backend/host_device.h"

namespace perturb {

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
