// A warp's matrix product on tensor cores: D = A·B with A of 16 x 16 and B of 16 x 8 half-precision numbers,
// sums in FP32. Products are exact; sums are of 16 terms in FP32, cut off rather than rounded. Only for
// files that nvcc compiles.
//
// How the numbers lie in the warp (PTX ISA, mma.m16n8k16), with g = lane / 4 and t = lane % 4: a lane holds of A
// the rows g and g + 8, of B the column g, each at four places k; of D rows g and g + 8 at columns 2t and 2t + 1.
// As long as A and B agree on it, the order of the 16 places does not matter: here a lane's four lie one after
// the other, 4t ... 4t + 3.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <cuda_runtime.h>

namespace perturb {

// The least compute capability (times ten) that has it.
constexpr int mma_capability = 80;

// Four halves, two to a word.
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
  __trap();  // callers ask for mma_capability first
#endif
}

}  // namespace perturb

#endif
