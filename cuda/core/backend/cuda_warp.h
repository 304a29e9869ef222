// Warp-wide operations on 32 threads. Only for files that nvcc compiles.
#pragma once

#if defined(__CUDACC__)

namespace perturb {

constexpr int warp_size = 32;
constexpr unsigned whole_warp = 0xffffffffu;

// Reductions over the whole warp. From compute capability 8.0 on this is one instruction, whose result the compiler
// treats as uniform: branches on it need no handling of divergent lanes.
__device__ inline int warp_min(int value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(whole_warp, value);
#else
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    value = min(value, __shfl_xor_sync(whole_warp, value, distance));
  return value;
#endif
}
__device__ inline int warp_max(int value) { return -warp_min(-value); }
__device__ inline unsigned warp_or(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, value);
#else
  for (int distance = warp_size / 2; distance > 0; distance /= 2) value |= __shfl_xor_sync(whole_warp, value, distance);
  return value;
#endif
}

}  // namespace perturb

#endif
