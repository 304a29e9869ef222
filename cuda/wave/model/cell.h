// The physics of one cell of the wave tank: values in, value out.
//
//   u_tt + k u_t = c² (u_xx + u_yy)
//
// in central differences, u_t too. Only the cell's own new value becomes implicit, so the step stays explicit:
//
//   (1 + k·dt/2) u(t+1) = 2 u(t) - (1 - k·dt/2) u(t-1) + (c·dt/dx)² (left + right + down + up - 4 u)(t)
//
// Divided by the factor on the left, this is u(t+1) = a u(t) + (1 - a) u(t-1) + b (left + right + down + up - 4 u)(t)
// with a = 2/(1 + k·dt/2) and b = (c·dt/dx)²/(1 + k·dt/2). The paper's one-sided damping term (Alesiani 2012),
//
//   u(t+1) = (2 - k·dt) u(t) + (k·dt - 1) u(t-1) + (c·dt/dx)² (left + right + down + up - 4 u)(t),
//
// is the same with a = 2 - k·dt and b = (c·dt/dx)². It is of first order in dt, and its stability limit is slightly
// lower.
//
// A user can edit this file while the program runs (kernels/edited_rows.h), so it includes nothing else.
#pragma once

#include <cmath>

#include "cuda/core/backend/host_device.h"

namespace perturb::wave {

// The Laplacian times dx² from four neighbours. They are summed in pairs, so that a symmetric field stays
// symmetric bit for bit.
template <class Real>
PERTURB_HD inline Real wave_laplacian(Real u, Real left, Real right, Real down, Real up) {
  return multiply_add(Real(-4), u, (left + right) + (down + up));
}

// The Laplacian from eight neighbours: two thirds of the one along the axes, `five`, and one third of the one along the
// diagonals,
//   (4 (left + right + down + up) + corners - 20 u)/6 = dx² (1 + dx²/12 ∇²) ∇² u + O(dx⁶),
// The first error term is isotropic (Patra and Karttunen 2006). For a flat surface the result is exactly zero.
template <class Real>
PERTURB_HD inline Real laplacian_nine(Real five, Real u, Real corners) {
  return multiply_add(Real(2) / Real(3), five, Real(1) / Real(6) * multiply_add(Real(-4), u, corners));
}
// Summed in diagonal pairs, which every mirror image of the field preserves.
template <class Real>
PERTURB_HD inline Real wave_corners(Real left_down, Real right_down, Real left_up, Real right_up) {
  return (left_down + right_up) + (right_down + left_up);
}

// New value of a cell from its last two values and its Laplacian.
//   courant2   b above
//   inertia    a above; 2 without damping. 1 - a is exact, so that a surface at rest keeps exactly its height.
template <class Real>
PERTURB_HD inline Real wave_advance(Real u, Real u_previous, Real laplacian, Real courant2, Real inertia) {
  const Real memory = multiply_add(inertia, u, (Real(1) - inertia) * u_previous);
  return multiply_add(courant2, laplacian, memory);
}
template <class Real>
PERTURB_HD inline Real wave_update(Real u, Real u_previous, Real left, Real right, Real down, Real up, Real courant2,
                                   Real inertia) {
  return wave_advance(u, u_previous, wave_laplacian(u, left, right, down, up), courant2, inertia);
}

// The same for a cell on `sides` (1 or 2) absorbing sides, whose outer neighbours have been set to the values of the
// inner ones. The one-way equation u_t + c u_n = 0 in central differences,
//   outer(t) = inner(t) - (dx/(c·dt)) (u(t+1) - u(t-1)),
// is inserted into the scheme and solved for u(t+1). It reflects as much as Mur's box form at normal incidence,
//   |R| = |cos(w dt/2) - cos(k dx/2)| / (cos(w dt/2) + cos(k dx/2)),
// but needs no new value of a neighbour, so that cells stay independent of each other. It acts on the cell like damping
// by central differences: it removes energy at any time step and does not change the stability limit (model/limit.h).
// With nine points, the three outer cells have the velocity of the cell itself.
template <class Real>
PERTURB_HD inline Real absorb(Real update, Real u_previous, Real courant2, int sides) {
  const Real share = Real(sides) * std::sqrt(courant2);
  return multiply_add(share, u_previous, update) / (Real(1) + share);
}

// The medium of a cell is one number: its wave speed as a multiple of c, negative where a wall has been painted over it
// (-0 included), so that erasing the wall restores the speed. In a wall the surface is zero.
template <class Real>
PERTURB_HD inline bool is_wall(Real medium) {
  return std::signbit(medium);
}
template <class Real>
PERTURB_HD inline Real wave_courant2(Real medium, Real courant2) {
  return courant2 * (medium * medium);
}

}  // namespace perturb::wave
