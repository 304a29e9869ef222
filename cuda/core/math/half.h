// A 16-bit float for storage only: converted when it is read and written.
#pragma once

#include <cstdint>
#include <cstring>

#include "cuda/core/backend/host_device.h"

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)  // edited kernels have no header of it, and no need
#include <cuda_fp16.h>
#elif defined(__F16C__)
#include <immintrin.h>
#endif

namespace perturb {

// IEEE binary16. Both conversions are exact or round to nearest even, so all backends are bit-identical. Above 65504 it
// is infinite; below 6e-8 it is zero.
struct Half {
  std::uint16_t bits = 0;

  static PERTURB_HD Half from(float value) {
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
    return {__half_as_ushort(__float2half_rn(value))};
#elif defined(__F16C__) && !defined(__CUDACC__)
    // Not _cvtss_sh, which clang implements as a C macro.
    return {static_cast<std::uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(value), 0), 0))};
#else
    std::uint32_t x;
    std::memcpy(&x, &value, sizeof x);
    const std::uint32_t sign = (x >> 16) & 0x8000u;
    x &= 0x7fffffffu;
    if (x > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    if (x >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (x < 0x38800000u) {
      // Subnormal: adding 1/2 lets the adder shift and round the digits into position.
      float magnitude;
      std::memcpy(&magnitude, &x, sizeof magnitude);
      magnitude += 0.5f;
      std::memcpy(&x, &magnitude, sizeof x);
      return {static_cast<std::uint16_t>(sign | (x - 0x3f000000u))};
    }
    x += 0xc8000fffu + ((x >> 13) & 1u);
    return {static_cast<std::uint16_t>(sign | (x >> 13))};
#endif
  }
  PERTURB_HD float value() const {
#if defined(__CUDA_ARCH__) && !defined(__CUDACC_RTC__)
    return __half2float(__ushort_as_half(bits));
#elif defined(__F16C__) && !defined(__CUDACC__)
    return _cvtsh_ss(bits);
#else
    const std::uint32_t sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    std::uint32_t x;
    if (rest >= 0x7c00u) {
      x = sign | 0x7f800000u | ((rest & 0x3ffu) << 13);
    } else if (rest >= 0x0400u) {
      x = sign | ((rest << 13) + 0x38000000u);
    } else {
      const float magnitude = static_cast<float>(rest) * (1.f / 16777216.f);
      std::memcpy(&x, &magnitude, sizeof x);
      x |= sign;
    }
    float result;
    std::memcpy(&result, &x, sizeof result);
    return result;
#endif
  }
};

}  // namespace perturb
