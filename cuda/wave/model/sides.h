// The sides of the tank: their conditions, and what lies outside them. Part of the text that is compiled while the
// program runs (kernels/edited_rows.h), so it includes nothing else.
#pragma once

#include "cuda/core/backend/host_device.h"

namespace perturb::wave {

// Boundary condition of a side of the tank.
enum class Boundary {
  fixed,      // the surface is zero one cell outside: waves are reflected inverted (the paper)
  free,       // no slope at the side (Neumann, at the face of the outermost cell): waves are reflected upright
  absorbing,  // first-order one-way condition, optionally with a sponge: waves leave
  periodic    // waves that leave enter on the opposite side, which must be periodic too
};

// The value outside a side: `own` is the cell at the side, `inner` its neighbour inwards, `opposite` the cell at the
// other end of the row or column.
template <class Real>
PERTURB_HD inline Real wave_outside(Boundary boundary, Real own, Real inner, Real opposite) {
  switch (boundary) {
    case Boundary::fixed:
      return Real(0);
    case Boundary::free:
      return own;
    case Boundary::absorbing:
      return inner;
    case Boundary::periodic:
      return opposite;
  }
  return Real(0);
}

// Index of the cell, among the `count` cells of a row, whose value is used at index `i`, which may be one outside
// (wave_outside); -1: the value is zero.
PERTURB_HD inline int wave_place(int i, int count, Boundary low, Boundary high) {
  if (i >= 0 && i < count) return i;
  const int edge = i < 0 ? 0 : count - 1;
  switch (i < 0 ? low : high) {
    case Boundary::fixed:
      return -1;
    case Boundary::free:
      return edge;
    case Boundary::absorbing:
      return count == 1 ? -1 : i < 0 ? 1 : count - 2;
    case Boundary::periodic:
      return count - 1 - edge;
  }
  return -1;
}

}  // namespace perturb::wave
