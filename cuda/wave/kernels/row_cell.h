// Cells of a row of a tank: for the rows of kernels.h, and for those of a kernel that a user edits (edited_rows.h). The
// latter are compiled while the program runs, so this file includes only small headers.
#pragma once

#include <cmath>

#include "cuda/core/math/arithmetic.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/sides.h"

namespace perturb::wave {

// Damping of u_t: none, uniform, or also a sponge along the sides.
enum class RowDamping { none, even, sponge };

// Update of the cells of a row, from the rows that they read. The tank's features are template arguments.
template <class Real, bool HasMedium, RowDamping damps, bool Absorbs, bool nine>
struct RowCell {
  const Real *own, *below, *above, *medium, *sponge;
  Real sponge_here, courant2, inertia;
  int sides;  // absorbing sides that the whole row touches

  // New value of a cell between the two ends.
  [[gnu::always_inline]] Real operator()(int i, Real previous) const {
    const Real corners = nine ? wave_corners(below[i - 1], below[i + 1], above[i - 1], above[i + 1]) : Real(0);
    return value(i, previous, own[i - 1], own[i + 1], corners, Absorbs ? sides : 0);
  }
  // New values of the two ends, from the previous ones.
  struct Ends {
    Real left, right;
  };
  [[gnu::always_inline]] Ends ends(int last, Boundary left, Boundary right, Ends previous) const {
    const auto left_of = [&](const Real* row) { return wave_outside(left, row[0], row[1], row[last]); };
    const auto right_of = [&](const Real* row) { return wave_outside(right, row[last], row[last - 1], row[0]); };
    const Real left_corners = nine ? wave_corners(left_of(below), below[1], left_of(above), above[1]) : Real(0);
    const Real right_corners =
        nine ? wave_corners(below[last - 1], right_of(below), above[last - 1], right_of(above)) : Real(0);
    return {value(0, previous.left, left_of(own), own[1], left_corners, sides + (left == Boundary::absorbing ? 1 : 0)),
            value(last, previous.right, own[last - 1], right_of(own), right_corners,
                  sides + (right == Boundary::absorbing ? 1 : 0))};
  }
  // New value of any cell, from its left and right neighbours and the sum of its corners; it is on `absorbing`
  // absorbing sides.
  [[gnu::always_inline]] Real value(int i, Real previous, Real left, Real right, Real corners, int absorbing) const {
    const Real c2 = HasMedium ? wave_courant2(medium[i], courant2) : courant2;
    // (If `a` is the constant two, the compiler saves one product of the seven operations that bound this loop.)
    Real weight = c2, a = damps == RowDamping::none ? Real(2) : inertia;
    if (damps == RowDamping::sponge) {
      const Real share = sponge[i] * sponge_here;
      weight *= share;
      a *= share;
    }
    Real laplacian = wave_laplacian(own[i], left, right, below[i], above[i]);
    if (nine) laplacian = laplacian_nine(laplacian, own[i], corners);
    Real updated = wave_advance(own[i], previous, laplacian, weight, a);
    if (absorbing > 0) updated = absorb(updated, previous, c2, absorbing);
    // copysign instead of signbit: it keeps the loop free of branches and vectorises.
    if (HasMedium) updated = std::copysign(Real(1), medium[i]) < Real(0) ? Real(0) : updated;
    return flush_subnormal(updated);
  }
};

}  // namespace perturb::wave
