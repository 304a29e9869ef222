#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>

#include "cuda/core/backend/cuda_check.h"
#include "cuda/core/backend/cuda_shape.h"
#include "cuda/core/backend/cuda_warp.h"

namespace perturb {

int cuda_resident_blocks(const void* function, int threads, std::size_t dynamic_shared) {
  static std::mutex mutex;
  static std::map<std::tuple<int, const void*, int, std::size_t>, int> known;
  int device = 0;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  int& blocks = known[{device, function, threads, dynamic_shared}];
  if (blocks == 0) {
    int of_each = 0, processors = 0;
    PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, function, threads, dynamic_shared));
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    blocks = std::max(1, of_each * processors);
  }
  return blocks;
}

LaunchShape cuda_launch_shape(const void* function, dim3 block, std::size_t dynamic_shared) {
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  const int threads = static_cast<int>(block.x * block.y);
  int device = 0, processors = 1, threads_of_processor = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads_of_processor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  // A block of fewer threads than a warp still uses a whole warp.
  const int warps = (threads + warp_size - 1) / warp_size;
  LaunchShape shape;
  shape.block_x = static_cast<int>(block.x), shape.block_y = static_cast<int>(block.y);
  shape.registers_per_thread = attributes.numRegs;
  shape.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + dynamic_shared);
  shape.occupancy =
      static_cast<double>(cuda_resident_blocks(function, threads, dynamic_shared) / processors * warps * warp_size) /
      threads_of_processor;
  return shape;
}

}  // namespace perturb
