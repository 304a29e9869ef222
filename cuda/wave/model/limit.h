// The stability limit of a tank's time step.
//
// With u_t in central differences the scheme is (1 + D) u(t+1) = 2 u(t) - (1 - D) u(t-1) - C² A u(t), where C =
// c·dt/dx, A is minus the Laplacian of the grid times the square of the speed map, and D >= 0 is all damping of single
// cells: damping, sponge and absorbing sides. In the scalar product with weights 1/speed² (halved for cells on
// absorbing sides), A is symmetric. Then sum (u(t+1) - u(t))² + C² u(t+1)·A u(t) never grows, and it is a norm while C²
// λ < 4, where λ is the largest eigenvalue of A; beyond, the pencil has a real root below -1 for any D. So the limit is
// exactly C = 2/√λ, independent of damping. (With the one-sided term of the paper, z = -1 is a root at C² λ = 4 - 2
// k·dt: C = 2 √((1 - k·dt/2)/λ).)
#pragma once

#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/view.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

// λ of infinite uniform water of speed 1: 8 with five points, 16/3 with nine.
double largest_spectrum(Stencil stencil);
// λ of a tank of uniform speed 1 without walls, in closed form for any size and sides.
double wave_even_spectrum(const StepParams<float>& tank);
double wave_even_spectrum(const StepParams<double>& tank);

// Upper bound of λ of a tank with a medium: largest_spectrum times the square of the highest speed, reduced where fast
// water is confined to few cells. A has no negative elements once the sign of every second cell is changed, so the K-th
// root of the largest row sum of its K-th power is a bound (Gelfand). It is too high by a few per cent at most. With
// nine points, the elements of the corners are negative. Powers of a matrix times a vector of ones then bound its
// spectral radius as long as the top mode, with changed signs, has a single sign, which holds where fast water is
// connected. A periodic side with an odd number n of cells adds up to (π/2n)². `scratch`, `other`: two fields of the
// tank's size that may be overwritten; `fastest`: the largest factor of the medium.
template <class Real>
double medium_spectrum(Backend& backend, const StepParams<Real>& tank, View2D<Real> scratch, View2D<Real> other,
                       double fastest);

// The Courant number up to which a tank is stable, for the speed of the fastest water, `fastest` times c. `spectrum`:
// λ.
double wave_courant_limit(const Parameters& parameters, double fastest, double spectrum);

// Whether the stencil and the sides, on which λ depends, are the same.
bool same_matrix(const Parameters& a, const Parameters& b);

// Throws InputError with a remedy if the tank is unstable with these parameters. `changed`: id of the parameter or the
// action that makes it so.
void require_stable(const std::string& changed, const Parameters& parameters, double fastest, double spectrum);

}  // namespace perturb::wave
