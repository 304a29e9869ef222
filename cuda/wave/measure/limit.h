// How large a step a tank can bear.
//
// With u_t in central differences the scheme is (1 + D) u(t+1) = 2 u(t) - (1 - D) u(t-1) - C² A u(t), where C =
// c·dt/dx, A is minus the Laplacian of the grid times the square of the speed map, and D >= 0 holds all that damps cell
// by cell: damping, sponge and absorbing sides. In the scalar product that divides by the squared speeds (and halves
// cells on absorbing sides) A is symmetric. Then sum (u(t+1) - u(t))² + C² u(t+1)·A u(t) never grows, and it is a norm
// while C² λ < 4, where λ is the largest eigenvalue of A; beyond, the pencil has a real root below -1, whatever D is.
// So the limit is C = 2/√λ exactly, and damping has no say. (With the one-sided term of the source z = -1 is a root at
// C² λ = 4 - 2 k·dt: C = 2 √((1 - k·dt/2)/λ).)
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/view.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// λ of endless even water of speed 1: 8 with five points, 16/3 with nine.
double largest_spectrum(Stencil stencil);
// λ of a tank of even speed 1 without walls, in closed form for any size and sides.
double wave_even_spectrum(const StepParams<float>& tank);
double wave_even_spectrum(const StepParams<double>& tank);

// λ of a tank with a medium, as a bound from above: the largest times the square of the fastest water, less what
// is lost where fast water is confined to few cells. A has no negative elements once its signs are turned in every
// second cell, so the K-th root of the largest sum of a row of its K-th power is a bound (Gelfand); it is a few
// per cent too high at most. With nine points the corners' elements are negative; powers of a matrix times a
// vector of ones bound its root as long as the top mode, its signs turned, has one sign, which it has where fast
// water lies together. Where a periodic side has an odd number n of cells, by up to (π/2n)² more. `scratch`,
// `other`: two fields of the tank's size that may be written; `fastest`: the largest factor of the medium.
template <class Real>
double medium_spectrum(Backend& backend, const StepParams<Real>& tank, View2D<Real> scratch, View2D<Real> other,
                       double fastest);

// The Courant number c·dt/dx up to which a tank is stable, taken where the water is fastest: at `fastest` times c.
// `spectrum`: λ.
double wave_courant_limit(const Parameters& parameters, double fastest, double spectrum);

}  // namespace perturb::wave
