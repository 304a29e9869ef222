// Four neighbouring cells of a row at once.
#pragma once

namespace perturb::wave {

// Four neighbouring values: one or two 16-byte accesses.
template <class Real>
struct alignas(16) Quad {
  Real v[4];
};
constexpr int quad = 4;

}  // namespace perturb::wave
