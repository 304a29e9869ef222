// Coefficients of the scheme (model/cell.h) from the parameters, which are in the units of the domain.
#pragma once

#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Courant number C = c·dt/dx, where the speed is c.
inline double courant_number(const Parameters& p) { return p.wave_speed * p.time_step / p.cell_size; }

// The eigenvalue of minus the grid's Laplacian, whose parts along x and y are `x` and `y`: 4 sin²(kx dx/2), 4 sin²(ky
// dx/2) for a wave.
inline double wave_eigenvalue(Stencil stencil, double x, double y) {
  return stencil == Stencil::nine ? x + y - x * y / 6 : x + y;
}

// 1 + k·dt/2 where the damping is centred, else 1: the weights of model/cell.h are divided by it.
inline double damping_divisor(const Parameters& p) {
  return p.damping_form == Damping::centred ? 1 + 0.5 * p.damping * p.time_step : 1;
}

// Step parameters of a tank of width x height cells with these weights and sides, without medium, sponge or sources.
template <class Real>
StepParams<Real> step_params_of(const Parameters& p, int width, int height) {
  StepParams<Real> params;
  params.width = width, params.height = height;
  params.stencil = p.stencil;
  const double courant = courant_number(p), divisor = damping_divisor(p);
  params.courant2 = static_cast<Real>(courant * courant / divisor);
  params.inertia = static_cast<Real>(p.damping_form == Damping::centred ? 2 / divisor : 2 - p.damping * p.time_step);
  params.left = p.boundary_left, params.right = p.boundary_right;
  params.bottom = p.boundary_bottom, params.top = p.boundary_top;
  return params;
}

}  // namespace perturb::wave
