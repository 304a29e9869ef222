// CPU vectors: their width in compiled loops, and operations that a plain loop cannot express.
#pragma once

#include <bit>

#if defined(__AVX__)
#include <immintrin.h>
#endif

// Marks a function whose loop is used in several places: it is compiled for each, with what is known there. In
// WebAssembly it is compiled once, because download size matters more.
#if defined(__wasm__)
#define PERTURB_SINGLE_FUNCTION [[gnu::noinline]]
#else
#define PERTURB_SINGLE_FUNCTION [[gnu::always_inline]] inline
#endif

namespace perturb {

// Bytes of a vector. A loop whose first element is aligned to this has no vector that straddles two cache lines: on
// 512-bit machines that gains a factor of nearly two.
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif

// Bit k: number k has no sign bit.
inline unsigned unsigned_mask(const float (&of)[8]) {
#if defined(__AVX__)
  return ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_loadu_ps(of))) & 255u;
#else
  unsigned mask = 0;
  for (int k = 0; k < 8; ++k) mask |= (__builtin_bit_cast(unsigned, of[k]) >> 31 ^ 1u) << k;
  return mask;
#endif
}
inline unsigned unsigned_mask(const double (&of)[8]) {
#if defined(__AVX512DQ__)
  return ~static_cast<unsigned>(_mm512_movepi64_mask(_mm512_castpd_si512(_mm512_loadu_pd(of)))) & 255u;
#elif defined(__AVX__)
  const int low = _mm256_movemask_pd(_mm256_loadu_pd(of)), high = _mm256_movemask_pd(_mm256_loadu_pd(of + 4));
  return ~static_cast<unsigned>(low | high << 4) & 255u;
#else
  unsigned mask = 0;
  for (int k = 0; k < 8; ++k)
    mask |= static_cast<unsigned>(__builtin_bit_cast(unsigned long long, of[k]) >> 63 ^ 1u) << k;
  return mask;
#endif
}

// Appends first + k to `list` for every set bit k of an 8-bit mask, without a branch; may write up to eight elements.
// Returns the number of set bits.
inline int append_marked(unsigned mask, int first, int* list) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  // In a register: compressing into memory is slow on some machines.
  const __m256i all = _mm256_add_epi32(_mm256_set1_epi32(first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const __m256i marked = _mm256_maskz_compress_epi32(static_cast<__mmask8>(mask), all);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(list), marked);
#else
  for (int k = 0, n = 0; k < 8; ++k) {
    list[n] = first + k;
    n += static_cast<int>(mask >> k & 1u);
  }
#endif
  return std::popcount(mask);
}

}  // namespace perturb
