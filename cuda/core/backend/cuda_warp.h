// Warp-wide operations on 32 threads: reductions, and products on tensor cores. Only for files that nvcc compiles.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <cuda_runtime.h>

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

// A warp's matrix product on tensor cores: D = A·B with A of 16 x 16 and B of 16 x 8 half-precision numbers, sums in
// FP32. Products are exact; each sum has 16 terms in FP32 and is truncated rather than rounded.
//
// Layout in the warp (PTX ISA, mma.m16n8k16), with g = lane / 4 and t = lane % 4: a lane holds rows g and g + 8 of A
// and column g of B, each at four indices k; of D it holds rows g and g + 8 at columns 2t and 2t + 1. The order of the
// 16 indices k does not matter as long as A and B agree: here a lane's four are consecutive, 4t ... 4t + 3.

// The lowest compute capability (times ten) that supports it.
constexpr int mma_capability = 80;

// Four halves, two per 32-bit word.
struct HalfQuad {
  std::uint32_t low, high;
};

// d[0], d[1]: row g, columns 2t and 2t + 1; d[2], d[3]: row g + 8. All lanes of the warp must call it together.
__device__ inline void multiply_16x8(float (&d)[4], const HalfQuad& a_row, const HalfQuad& a_row_8, const HalfQuad& b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a_row.low), "r"(a_row_8.low), "r"(a_row.high), "r"(a_row_8.high), "r"(b.low), "r"(b.high), "f"(0.f));
#else
  __trap();  // callers check mma_capability first
#endif
}

}  // namespace perturb

#endif
