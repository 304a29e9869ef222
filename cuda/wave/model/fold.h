// The infinite field that continues the tank beyond its sides, for kernels that load more than the tank, and four cells
// at once. Beyond a periodic side the tank repeats. A free side is a mirror on the face of the outermost cell, an
// absorbing side a mirror through the centre of that cell. A fixed side is a mirror through the line of zeros one cell
// outside, and also changes the sign. Only for files that nvcc compiles.
#pragma once

#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Source of the value of a cell outside the tank, along one axis: cell `index`, times `sign`; sign 0: the value is
// zero.
struct Folded {
  int index, sign;
};

// `x` may lie outside [0, size) by any distance. A tank one cell wide has no inner neighbour, so an
// absorbing side then has a line of zeros outside, like a fixed one (wave_cell).
__device__ inline Folded fold(int x, int size, Boundary low, Boundary high) {
  int sign = 1;
  while (x < 0 || x >= size) {
    const bool below = x < 0;
    Boundary side = below ? low : high;
    if (side == Boundary::absorbing && size == 1) side = Boundary::fixed;
    const int outwards = below ? -1 - x : x - size;  // 0 for the first cell outside
    int inwards = 0;                                 // 0 for the outermost cell of the tank
    switch (side) {
      case Boundary::fixed:
        if (outwards == 0) return {below ? 0 : size - 1, 0};
        inwards = outwards - 1;
        sign = -sign;
        break;
      case Boundary::free:
        inwards = outwards;
        break;
      case Boundary::absorbing:
        inwards = outwards + 1;
        break;
      case Boundary::periodic:
        inwards = size - 1 - outwards;
        break;
    }
    x = below ? inwards : size - 1 - inwards;
  }
  return {x, sign};
}

template <class Real>
__device__ inline Real signed_value(int sign, Real value) {
  return sign == 0 ? Real(0) : sign < 0 ? -value : value;
}

// Four neighbouring values of a row: one or two 16-byte accesses.
template <class Real>
struct alignas(16) Quad {
  Real v[4];
};

}  // namespace perturb::wave
