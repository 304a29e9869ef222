// CUDA calls: their check, launches of functors, launch shapes. Only for files that may include CUDA's runtime headers:
// those that nvcc compiles, and the one in app/render/display, which gets the check alone.
#pragma once

#include <cuda_runtime_api.h>

namespace perturb::detail {
[[noreturn]] void throw_cuda_error(cudaError_t code, const char* call, const char* file, int line);
}

// Throws Error with the call, CUDA's message and the source location if a CUDA call fails.
#define PERTURB_CUDA_CHECK(call)                                                                                   \
  do {                                                                                                             \
    const cudaError_t perturb_code = (call);                                                                       \
    if (perturb_code != cudaSuccess) ::perturb::detail::throw_cuda_error(perturb_code, #call, __FILE__, __LINE__); \
  } while (false)

#if defined(__CUDACC__)

#include <string>

#include <cuda_runtime.h>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/backend/view.h"

namespace perturb {

// Scope of one kernel launch: checks it, waits for it in Debug builds, and times it if the stats are timing or a
// BlockRecorder has begun to record it.
class CudaLaunch {
 public:
  CudaLaunch(Backend& backend, const char* label);
  ~CudaLaunch() noexcept(false);
  CudaLaunch(const CudaLaunch&) = delete;
  CudaLaunch& operator=(const CudaLaunch&) = delete;
  cudaStream_t stream() const { return stream_; }

 private:
  Backend& backend_;
  const char* label_;
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  BlockRecorder* recorder_ = nullptr;  // that gets the time
};

// The last argument of kernels whose blocks can be recorded (core/backend/block_recorder.h); they begin with
// record.write().
struct BlockRecord {
  BlockStart* starts;
  // In the first thread of a block.
  __device__ void write() const {
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    unsigned multiprocessor;
    unsigned long long nanoseconds;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    BlockStart& start = starts[blockIdx.y * gridDim.x + blockIdx.x];
    start.nanoseconds = static_cast<std::int64_t>(nanoseconds);
    start.unit = static_cast<int>(multiprocessor);
  }
};
// Of the usual version of such a kernel.
struct NoBlockRecord {
  __device__ void write() const {}
};
// Calls launch(record), with a BlockRecord if this launch of `blocks` blocks is to be recorded. Begin it with the
// CudaLaunch, so that the time of the launch does not include the preparation of the record.
template <class F>
void with_block_record(const Backend& backend, const char* label, dim3 blocks, const F& launch) {
  if (BlockStart* starts = begin_block_record(backend, label, static_cast<int>(blocks.x), static_cast<int>(blocks.y)))
    launch(BlockRecord{starts});
  else
    launch(NoBlockRecord{});
}

namespace detail {

// Number of blocks that a multiprocessor must hold at once, if a functor states it: the compiler then limits the
// registers per thread accordingly. 0: no limit.
template <class F>
constexpr int min_blocks = [] {
  if constexpr (requires { F::min_blocks; })
    return F::min_blocks;
  else
    return 0;
}();

template <class F>
__global__ void __launch_bounds__(256, min_blocks<F>) run_functor_2d(int width, int height, F body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); j < height;
       j += static_cast<int>(gridDim.y * blockDim.y))
    if (i < width) body(i, j);
}

template <class F>
__global__ void __launch_bounds__(256, min_blocks<F>) run_functor_1d(int size, F body) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) body(i);
}

template <class F>
void cuda_launch(Backend& backend, const char* label, Range2D range, const F& body, LoopBlock block = {}) {
  if (range.width <= 0 || range.height <= 0) return;
  const LoopBlocks blocks = loop_blocks(range.width, range.height, block);
  const dim3 grid(blocks.x, blocks.y);
  const CudaLaunch launch(backend, label);
  run_functor_2d<<<grid, dim3(block.width, block.height), 0, launch.stream()>>>(range.width, range.height, body);
}

// A loop whose blocks are recorded. Blocks that loop over rows start with the first.
template <class F>
struct RecordedLoop : F {
  BlockRecord record;
  __device__ void operator()(int i, int j) const {
    if (j < static_cast<int>(gridDim.y * blockDim.y)) record.write();
    F::operator()(i, j);
  }
};

template <class F>
void cuda_launch(Backend& backend, const char* label, Range1D range, const F& body) {
  if (range.size <= 0) return;
  const CudaLaunch launch(backend, label);
  run_functor_1d<<<(range.size + 255) / 256, 256, 0, launch.stream()>>>(range.size, body);
}

}  // namespace detail

// Number of resident blocks on the whole current device for a kernel with `threads` threads per block, each block with
// `dynamic_shared` bytes of shared memory beyond what the kernel declares. Cached, because the query is too slow for
// every frame. `function` is the kernel's address.
int cuda_resident_blocks(const void* function, int threads, std::size_t dynamic_shared = 0);

// Registers, shared memory and theoretical occupancy of a kernel launched in blocks of this shape.
LaunchShape cuda_launch_shape(const void* function, dim3 block, std::size_t dynamic_shared = 0);

}  // namespace perturb

#endif
