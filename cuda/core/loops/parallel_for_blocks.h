// parallel_for with a given number of threads per block: for studies of block sizes.
#pragma once

#include "cuda/core/loops/parallel_for.h"

namespace perturb {

// Runs `body(i)` for every i of `range`, on CUDA in blocks of `block` threads (1 to 256). Otherwise like parallel_for.
template <class F>
void parallel_for_in_blocks(Backend& backend, const char* label, Range1D range, int block, const F& body) {
#if defined(__CUDACC__)
  if (backend.is_cuda()) {
    if (range.size <= 0) return;
    const CudaLaunch launch(backend, label);
    detail::run_functor_1d<<<(range.size + block - 1) / block, block, 0, launch.stream()>>>(range.size, body);
    return;
  }
#endif
  (void)block;
  parallel_for(backend, label, range, body);
}

}  // namespace perturb
