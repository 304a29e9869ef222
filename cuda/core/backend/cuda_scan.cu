// Prefix sums on the device, computed by CUB.
#include <cub/device/device_scan.cuh>

#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/loops/scan.h"

namespace perturb::detail {

std::size_t cuda_scan_bytes(std::size_t most) {
  std::size_t bytes = 0;
  int* none = nullptr;
  PERTURB_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, static_cast<int>(most)));
  return bytes;
}

void cuda_scan(Backend& backend, const char* label, const int* from, int* to, std::size_t count, void* scratch,
               std::size_t bytes) {
  const CudaLaunch launch(backend, label);
  PERTURB_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, static_cast<int>(count), launch.stream()));
}

}  // namespace perturb::detail
