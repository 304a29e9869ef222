// 1/sqrt(a), as needed in sums over 1/r: from the processor's estimate and Newton's method if there is one, which costs
// a third of a division and a root. Within two units in the last place; not bit-identical on all processors.
#pragma once

#include <type_traits>

#include "cuda/core/math/pack.h"

namespace perturb {

PERTURB_HD inline double reciprocal_root(double a) {
#if defined(__CUDA_ARCH__)
  return ::rsqrt(a);
#else
  return 1 / ::sqrt(a);
#endif
}
PERTURB_HD inline float reciprocal_root(float a) {
#if defined(__CUDA_ARCH__)
  return ::rsqrtf(a);
#else
  return 1 / ::sqrtf(a);
#endif
}

#if !defined(__CUDACC__)

template <class T, int lanes>
inline Pack<T, lanes> reciprocal_root(Pack<T, lanes> a) {
  using P = Pack<T, lanes>;
#if defined(__AVX512F__)
  // One step: y (1.5 - a/2 y²) squares the error of the estimate, 2^-14.
  if constexpr (sizeof(P) == 64) {
    const P half = a * P(T(0.5));
    P y;
    if constexpr (std::is_same_v<T, double>)
      y = P((typename P::Vector)_mm512_maskz_rsqrt14_pd(0xff, (__m512d)a.v));
    else
      y = P((typename P::Vector)_mm512_maskz_rsqrt14_ps(0xffff, (__m512)a.v));
    constexpr int steps = std::is_same_v<T, double> ? 2 : 1;
    for (int k = 0; k < steps; ++k) y = y * multiply_add(-half, y * y, P(T(1.5)));
    return y;
  }
#endif
  return P(T(1)) / square_root(a);
}

#endif  // !__CUDACC__

}  // namespace perturb
