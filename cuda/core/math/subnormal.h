// Numbers below the normal range. CPU threads and CUDA are told to take them for zero (cpu_row_block.cpp,
// --ftz=true). WebAssembly has no word for it, and there a core may take a hundred times as long for each.
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

// x; where nothing else does so, 0 for one below the normal range.
template <class Real>
PERTURB_HD inline Real flush_subnormal(Real x) {
  if constexpr (subnormals_flushed)
    return x;
  else
    return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

}  // namespace perturb
