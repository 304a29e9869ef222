// Sine, cosine, exponential and logarithm from sums and products only: bit-identical with every compiler, C library,
// browser and, except for the logarithm, GPU. The C libraries differ in the last digit, which is enough to change a
// drawn start or a chaotic run between machines.
//
//   sine(x), cosine(x)   of a double up to 1e6, each within one unit in the last place
//   exponential(x)       of a double, within one unit; 0 and infinity beyond the range
//                        all three, and hyperbolic_tangent, of a float too: the double's, rounded
//   logarithm(x)         of a double, a float or a pack of them (pack.h), within one unit; of 0 minus infinity, of a
//                        negative number NaN. Subnormal numbers count as zero. On a GPU it is the device's own
//
// The series are Taylor's on the shortest interval: x is reduced by whole multiples of pi/2 or of ln 2, whose high
// parts end in zeros, so that such a multiple is exact (Cody and Waite 1980, Software Manual for the Elementary
// Functions).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "cuda/core/math/pack.h"

namespace perturb {

namespace detail {

// The unsigned integer type of the same size as a number type; for packs, a vector of them.
template <class Real>
struct StoredAs;
template <>
struct StoredAs<double> {
  using type = std::uint64_t;
};
template <>
struct StoredAs<float> {
  using type = std::uint32_t;
};
#if !defined(__CUDACC__)
template <class T, int lanes>
struct StoredAs<Pack<T, lanes>> {
  typedef typename StoredAs<T>::type type __attribute__((vector_size(sizeof(T) * lanes)));
};
#endif

template <class Bits, class Real>
PERTURB_HD inline Bits bits_of(const Real& x) {
  static_assert(sizeof(Bits) == sizeof(Real));
  Bits bits;
  ::memcpy(&bits, &x, sizeof(Real));
  return bits;
}

// The IEEE 754 layout of a number: fraction digits, and the exponent of 1. `root_half` is the square root of 1/2.
template <class T>
struct Layout;
template <>
struct Layout<double> {
  static constexpr int digits = 52, bias = 1023, terms = 10;
  static constexpr std::uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
  // The upper part of ln 2 has 32 digits. Or-ing an integer into the bits of 2^52 converts it to a floating-point
  // number.
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33, shift = 0x1p52;
  static constexpr std::uint64_t shift_bits = 0x4330000000000000;
};
template <>
struct Layout<float> {
  static constexpr int digits = 23, bias = 127, terms = 4;
  static constexpr std::uint32_t one = 0x3f800000, root_half = 0x3f3504f3;
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f, shift = 0x1p23f;
  static constexpr std::uint32_t shift_bits = 0x4b000000;
};

// x = 2^k m with m from sqrt(1/2) to sqrt(2). With f = m - 1 and s = f/(2 + f),
//   ln m = 2 artanh s = f - s (f - R),   R = 2 s² (1/3 + s²/5 + s⁴/7 + ...),
// whose first term is exact.
template <class Real>
PERTURB_HD inline Real logarithm_of(const Real& x) {
  using T = typename NumberOf<Real>::type;
  using Bits = typename StoredAs<Real>::type;
  using L = Layout<T>;
  const Bits bits = bits_of<Bits>(x);
  const Bits exponent = (bits + (L::one - L::root_half)) >> L::digits;  // k + bias
  const Real m = bits_of<Real>(Bits(bits - ((exponent - L::bias) << L::digits)));
  const Real k = bits_of<Real>(Bits(exponent | L::shift_bits)) - Real(L::shift + T(L::bias));
  const Real f = m - Real(1), s = f / (Real(2) + f), z = s * s;
  Real r = Real(T(2) / T(2 * L::terms + 1));
  PERTURB_UNROLL
  for (int n = L::terms - 1; n >= 1; --n) r = multiply_add(r, z, Real(T(2) / T(2 * n + 1)));
  const Real small = k * Real(L::ln2_low) - s * (f - r * z);
  const Real sum = k * Real(L::ln2_high) + (f + small);
  const Real below = select(at_least(x, Real(0)), Real(-std::numeric_limits<T>::infinity()),
                            Real(std::numeric_limits<T>::quiet_NaN()));
  return select(at_least(Real(std::numeric_limits<T>::max()), x),
                select(at_least(x, Real(std::numeric_limits<T>::min())), sum, below), x);
}

// Remainder of x, from -pi/4 to pi/4; `more`, the rounding error of `rest`; and the number of quarter turns removed.
struct Quarter {
  double rest, more;
  unsigned quarters;
};
PERTURB_HD inline Quarter quarter_of(double x) {
  const double k = ::rint(x * 0x1.45f306dc9c883p-1);
  const double high = x - k * 0x1.921fb544p+0;  // 33 digits of pi/2, the next 33, and the remainder
  const double middle = k * 0x1.0b4611a6p-34, low = k * 0x1.3198a2e037073p-69;
  const double upper = high - middle, back = upper - high;
  const double rounded = (high - (upper - back)) - (middle + back);  // exactly the rounding error of `upper`
  const double tail = rounded - low, rest = upper + tail;
  return {rest, (upper - rest) + tail, static_cast<unsigned>(static_cast<std::int64_t>(k))};
}
PERTURB_HD inline double sine_of(const Quarter& q) {
  const double x = q.rest, z = x * x;
  double s = 1.0 / 355687428096000;
  s = s * z - 1.0 / 1307674368000;
  s = s * z + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  return x + (x * z * s + q.more * (1 - 0.5 * z));
}
PERTURB_HD inline double cosine_of(const Quarter& q) {
  const double x = q.rest, z = x * x;
  double s = 1.0 / 20922789888000;
  s = s * z - 1.0 / 87178291200;
  s = s * z + 1.0 / 479001600;
  s = s * z - 1.0 / 3628800;
  s = s * z + 1.0 / 40320;
  s = s * z - 1.0 / 720;
  s = s * z + 1.0 / 24;
  const double half = 0.5 * z, most = 1 - half;
  return most + ((1 - most - half) + (z * z * s - x * q.more));  // adds the rounding error of `most`
}

constexpr double max_turned = 1e6;  // beyond this, the multiples of pi/2 are not exact

}  // namespace detail

PERTURB_HD inline double sine(double x) {
  if (!(::fabs(x) <= detail::max_turned)) return ::sin(x);
  const detail::Quarter q = detail::quarter_of(x);
  const double size = q.quarters % 2 == 0 ? detail::sine_of(q) : detail::cosine_of(q);
  return q.quarters / 2 % 2 == 0 ? size : -size;
}
PERTURB_HD inline double cosine(double x) {
  if (!(::fabs(x) <= detail::max_turned)) return ::cos(x);
  const detail::Quarter q = detail::quarter_of(x);
  const double size = q.quarters % 2 == 0 ? detail::cosine_of(q) : detail::sine_of(q);
  return (q.quarters + 1) / 2 % 2 == 0 ? size : -size;
}

PERTURB_HD inline double exponential(double x) {
  using L = detail::Layout<double>;
  if (!(x > -746)) return x <= -746 ? 0 : x;  // NaN stays NaN
  if (x > 710) return x * std::numeric_limits<double>::infinity();
  const double k = ::rint(x * 0x1.71547652b82fep+0);
  const double r = x - k * L::ln2_high - k * L::ln2_low;
  double s = 1.0 / 6227020800;
  s = s * r + 1.0 / 479001600;
  s = s * r + 1.0 / 39916800;
  s = s * r + 1.0 / 3628800;
  s = s * r + 1.0 / 362880;
  s = s * r + 1.0 / 40320;
  s = s * r + 1.0 / 5040;
  s = s * r + 1.0 / 720;
  s = s * r + 1.0 / 120;
  s = s * r + 1.0 / 24;
  s = s * r + 1.0 / 6;
  s = s * r + 0.5;
  // Two powers of two: at the ends of the range, a single one is not representable.
  const auto whole = static_cast<std::int64_t>(k), half = whole / 2;
  const auto power = [](std::int64_t n) {
    return detail::bits_of<double>(static_cast<std::uint64_t>(n + L::bias) << L::digits);
  };
  return (1 + (r + r * r * s)) * power(half) * power(whole - half);
}

// Floats: rounded once.
PERTURB_HD inline float sine(float x) { return static_cast<float>(sine(static_cast<double>(x))); }
PERTURB_HD inline float cosine(float x) { return static_cast<float>(cosine(static_cast<double>(x))); }
PERTURB_HD inline float exponential(float x) { return static_cast<float>(exponential(static_cast<double>(x))); }
PERTURB_HD inline float hyperbolic_tangent(float x) {
  return static_cast<float>(1 - 2 / (exponential(2 * static_cast<double>(x)) + 1));
}

#if defined(__CUDA_ARCH__)
PERTURB_HD inline double logarithm(double a) { return ::log(a); }
PERTURB_HD inline float logarithm(float a) { return ::logf(a); }
#else
PERTURB_HD inline double logarithm(double a) { return detail::logarithm_of(a); }
PERTURB_HD inline float logarithm(float a) { return detail::logarithm_of(a); }
#endif
#if !defined(__CUDACC__)
template <class T, int lanes>
inline Pack<T, lanes> logarithm(Pack<T, lanes> a) {
  return detail::logarithm_of(a);
}
#endif

}  // namespace perturb
