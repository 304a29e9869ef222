// A SIMD pack of numbers: lets a cell function, written once as a template over its number type, run in the vector
// registers of a CPU. On a GPU the same function gets plain numbers, because there the lanes of a warp are the vector.
//
//   template <class Real> PERTURB_HD Real distance(Real x, Real y) { return square_root(x * x + y * y); }
//   distance(3.0, 4.0);                      // a number
//   distance(Pack<double, 8>{...}, ...);     // eight at once
//
// Conditions are values too: `select(at_least(x, y), a, b)` for packs and for numbers. All operations round like the
// plain ones, lane by lane, so that a lane's bits do not depend on the other lanes.
//
// Packs are only for files that the host compiler alone compiles: nvcc does not support vector types in host-and-device
// functions.
#pragma once

#include <cmath>
#include <type_traits>

#include "cuda/core/backend/host_device.h"

#if !defined(__CUDACC__) && (defined(__FMA__) || defined(__SSE2__))
#include <immintrin.h>
#elif !defined(__CUDACC__) && defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

// Precedes a loop that must be unrolled, because registers cannot be indexed at run time.
#if defined(__CUDA_ARCH__)
#define PERTURB_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define PERTURB_UNROLL  // nvcc's host pass forwards the pragma to a compiler that does not support it
#else
#define PERTURB_UNROLL _Pragma("GCC unroll 32")
#endif

namespace perturb {

// The operations on plain numbers, for host and device.
PERTURB_HD inline bool at_least(double a, double b) { return a >= b; }
PERTURB_HD inline bool at_least(float a, float b) { return a >= b; }
PERTURB_HD inline double select(bool mask, double a, double b) { return mask ? a : b; }
PERTURB_HD inline float select(bool mask, float a, float b) { return mask ? a : b; }
PERTURB_HD inline bool all_of(bool mask) { return mask; }
PERTURB_HD inline bool none_of(bool mask) { return !mask; }
PERTURB_HD inline double square_root(double a) { return ::sqrt(a); }
PERTURB_HD inline float square_root(float a) { return ::sqrtf(a); }
PERTURB_HD inline double absolute(double a) { return ::fabs(a); }
PERTURB_HD inline float absolute(float a) { return ::fabsf(a); }

template <class T, int lanes>
struct Pack;

// The scalar type of a number type.
template <class Real>
struct NumberOf {
  using type = Real;
};
template <class T, int lanes>
struct NumberOf<Pack<T, lanes>> {
  using type = T;
};

#if !defined(__CUDACC__)

template <class T, int lanes>
struct Pack {
  typedef T Vector __attribute__((vector_size(sizeof(T) * lanes)));
  Vector v;

  Pack() = default;
  Pack(T all) : v(all - Vector{}) {}  // NOLINT: implicit, so that formulas can mix numbers and packs
  explicit Pack(const Vector& values) : v(values) {}

  T operator[](int lane) const { return v[lane]; }
  void set(int lane, T value) { v[lane] = value; }

  friend Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
  friend Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
  friend Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
  friend Pack operator/(Pack a, Pack b) { return Pack(a.v / b.v); }
  friend Pack operator-(Pack a) { return Pack(-a.v); }
};

// The result of a comparison of packs: a mask in each lane.
template <class T, int lanes>
struct PackMask {
  decltype(typename Pack<T, lanes>::Vector{} > typename Pack<T, lanes>::Vector{}) v;
};

template <class T, int lanes>
inline PackMask<T, lanes> at_least(Pack<T, lanes> a, Pack<T, lanes> b) {
  return {a.v >= b.v};
}
template <class T, int lanes>
inline Pack<T, lanes> select(PackMask<T, lanes> mask, Pack<T, lanes> a, Pack<T, lanes> b) {
  return Pack<T, lanes>(mask.v ? a.v : b.v);
}
template <class T, int lanes>
inline bool all_of(PackMask<T, lanes> mask) {
  bool all = true;
  for (int k = 0; k < lanes; ++k) all = all && mask.v[k] != 0;
  return all;
}
template <class T, int lanes>
inline bool none_of(PackMask<T, lanes> mask) {
  bool any = false;
  for (int k = 0; k < lanes; ++k) any = any || mask.v[k] != 0;
  return !any;
}
template <class T, int lanes>
inline Pack<T, lanes> absolute(Pack<T, lanes> a) {
  return Pack<T, lanes>(a.v < 0 ? -a.v : a.v);
}

// a·b + c in every lane (multiply_add of host_device.h), and the square root. Compilers do not recognise the
// processor's instruction in a loop over lanes, so intrinsics are used for the native widths.
template <class T, int lanes>
inline Pack<T, lanes> multiply_add(Pack<T, lanes> a, Pack<T, lanes> b, Pack<T, lanes> c) {
  using P = Pack<T, lanes>;
  [[maybe_unused]] constexpr bool is_double = std::is_same_v<T, double>;
#if defined(__AVX512F__)
  if constexpr (sizeof(P) == 64 && is_double)
    return P((typename P::Vector)_mm512_fmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v));
  if constexpr (sizeof(P) == 64 && !is_double)
    return P((typename P::Vector)_mm512_fmadd_ps((__m512)a.v, (__m512)b.v, (__m512)c.v));
#endif
#if defined(__FMA__)
  if constexpr (sizeof(P) == 32 && is_double)
    return P((typename P::Vector)_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v));
  if constexpr (sizeof(P) == 32 && !is_double)
    return P((typename P::Vector)_mm256_fmadd_ps((__m256)a.v, (__m256)b.v, (__m256)c.v));
  if constexpr (sizeof(P) == 16 && is_double)
    return P((typename P::Vector)_mm_fmadd_pd((__m128d)a.v, (__m128d)b.v, (__m128d)c.v));
  if constexpr (sizeof(P) == 16 && !is_double)
    return P((typename P::Vector)_mm_fmadd_ps((__m128)a.v, (__m128)b.v, (__m128)c.v));
#endif
#if defined(__FP_FAST_FMA) || defined(__FMA__)
  P r;
  for (int k = 0; k < lanes; ++k) r.v[k] = multiply_add(a.v[k], b.v[k], c.v[k]);
  return r;
#else
  return P(a.v * b.v + c.v);  // like the plain one, which rounds the product too
#endif
}

template <class T, int lanes>
inline Pack<T, lanes> square_root(Pack<T, lanes> a) {
  using P = Pack<T, lanes>;
  [[maybe_unused]] constexpr bool is_double = std::is_same_v<T, double>;
#if defined(__AVX512F__)
  if constexpr (sizeof(P) == 64 && is_double) return P((typename P::Vector)_mm512_maskz_sqrt_pd(0xff, (__m512d)a.v));
  if constexpr (sizeof(P) == 64 && !is_double) return P((typename P::Vector)_mm512_maskz_sqrt_ps(0xffff, (__m512)a.v));
#endif
#if defined(__FMA__)
  if constexpr (sizeof(P) == 32 && is_double) return P((typename P::Vector)_mm256_sqrt_pd((__m256d)a.v));
  if constexpr (sizeof(P) == 32 && !is_double) return P((typename P::Vector)_mm256_sqrt_ps((__m256)a.v));
  if constexpr (sizeof(P) == 16 && !is_double) return P((typename P::Vector)_mm_sqrt_ps((__m128)a.v));
#endif
  P r;
#if !defined(__FMA__) && (defined(__SSE2__) || defined(__wasm_simd128__))
  if constexpr (sizeof(P) % 16 == 0) {
    typedef T Register __attribute__((vector_size(16)));
    Register part[sizeof(P) / 16];
    __builtin_memcpy(part, &a, sizeof(P));
    for (Register& one : part) {
#if defined(__SSE2__)
      if constexpr (is_double)
        one = (Register)_mm_sqrt_pd((__m128d)one);
      else
        one = (Register)_mm_sqrt_ps((__m128)one);
#else
      if constexpr (is_double)
        one = (Register)wasm_f64x2_sqrt((v128_t)one);
      else
        one = (Register)wasm_f32x4_sqrt((v128_t)one);
#endif
    }
    __builtin_memcpy(&r, part, sizeof(P));
    return r;
  }
#endif
  for (int k = 0; k < lanes; ++k) r.v[k] = std::sqrt(a.v[k]);
  return r;
}

// A number in the first lane, and zero in the second.
inline Pack<double, 2> with_zero(const double* from) {
  using P = Pack<double, 2>;
#if defined(__wasm_simd128__)
  return P((P::Vector)wasm_v128_load64_zero(from));
#else
  return P(P::Vector{*from, 0});
#endif
}

// Number of doubles in one register of this build's processor; native_lanes uses two registers if they are small, for
// loops whose sums depend on each other.
#if defined(__AVX512F__)
constexpr int native_lanes = 8, register_lanes = 8;
#elif defined(__AVX__)
constexpr int native_lanes = 4, register_lanes = 4;
#else
constexpr int native_lanes = 4, register_lanes = 2;
#endif

// Number of sums of products that are worth computing side by side. V8 puts all loads of a loop's body first: with more
// sums, it spills half of them to memory.
#if defined(__wasm__)
constexpr int sums_at_once = 8;
#else
constexpr int sums_at_once = 32;
#endif

#endif  // !__CUDACC__

// 1/sqrt(a), as needed in sums over 1/r: from the processor's estimate and Newton's method if there is one, which costs
// a third of a division and a root. Within two units in the last place; not bit-identical on all processors.
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
