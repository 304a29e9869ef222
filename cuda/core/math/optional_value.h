// Values that are not defined yet, such as a frequency before any oscillation.
#pragma once

#include <cstdint>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// A specific NaN, distinct from the NaN of a failed computation. Front ends show "–", tables leave the cell empty, and
// plots omit the point.
inline constexpr double no_value = __builtin_bit_cast(double, std::uint64_t{0x7ff8'0000'0000'2013});

inline bool has_value(double value) {
  return __builtin_bit_cast(std::uint64_t, value) != __builtin_bit_cast(std::uint64_t, no_value);
}

// The scalar, or no_value unless `known`.
inline Scalar value_if(bool known, Scalar scalar) {
  if (!known) scalar.value = no_value;
  return scalar;
}

}  // namespace perturb
