// Numbers that mean nothing yet, such as a frequency before anything has swung.
#pragma once

#include <cstdint>

#include "cuda/core/diagnostics.h"

namespace perturb {

// No number, and told from one that a computation has spoilt. Every front shows "–" in its place, a table leaves its
// place empty, and no plot has a point of it.
inline constexpr double not_known = __builtin_bit_cast(double, std::uint64_t{0x7ff8'0000'0000'2013});

inline bool is_known(double value) {
  return __builtin_bit_cast(std::uint64_t, value) != __builtin_bit_cast(std::uint64_t, not_known);
}

// One that means something only then.
inline Scalar known_if(bool known, Scalar scalar) {
  if (!known) scalar.value = not_known;
  return scalar;
}

}  // namespace perturb
