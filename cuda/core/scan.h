// Running sums: from the number of things in each cell to the place where each cell's things begin.
//
// For files under cuda/ only, like reduce.h: those are all compiled as CUDA in a CUDA build.
#pragma once

#include <cstddef>

#include "cuda/core/field.h"
#include "cuda/core/parallel_for.h"

#if defined(__CUDACC__)
#include <cub/device/device_scan.cuh>
#endif

namespace perturb {

// to[k] = from[0] + ... + from[k - 1]; `from` and `to` may be the same. Keeps its scratch memory from call to call.
class ExclusiveScan {
 public:
  ExclusiveScan() = default;
  // For runs of at most `most` elements.
  ExclusiveScan(Backend& backend, std::size_t most) {
#if defined(__CUDACC__)
    if (backend.is_cuda()) {
      std::size_t bytes = 0;
      int* none = nullptr;
      PERTURB_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, static_cast<int>(most)));
      scratch_ = Array<std::byte>(backend, bytes, "scratch of a running sum");
    }
#endif
    (void)backend, (void)most;
  }

  void run(Backend& backend, const char* label, const int* from, int* to, std::size_t count) {
#if defined(__CUDACC__)
    if (backend.is_cuda()) {
      const CudaLaunch launch(backend, label);
      std::size_t bytes = scratch_.size();
      PERTURB_CUDA_CHECK(
          cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, from, to, static_cast<int>(count), launch.stream()));
      return;
    }
#endif
    const KernelTimer timer(backend, label);
    int sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const int here = from[k];
      to[k] = sum;
      sum += here;
    }
  }

 private:
  Array<std::byte> scratch_;
};

}  // namespace perturb
