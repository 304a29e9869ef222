// Numbers that mean nothing yet, such as a frequency before anything has swung.
#pragma once

#include <cstdint>

#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// No number, and told from one that a computation has spoilt. Every front shows "–" in its place, a table leaves its
// place empty, and no plot has a point of it.
inline constexpr double no_value = __builtin_bit_cast(double, std::uint64_t{0x7ff8'0000'0000'2013});

inline bool has_value(double value) {
  return __builtin_bit_cast(std::uint64_t, value) != __builtin_bit_cast(std::uint64_t, no_value);
}

// One that means something only then.
inline Scalar value_if(bool known, Scalar scalar) {
  if (!known) scalar.value = no_value;
  return scalar;
}

}  // namespace perturb
