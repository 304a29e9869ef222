// Inputs of a wave step besides the two fields, and the reference update of any cell of the tank, boundary cells
// included. Kernels may take shortcuts away from the boundary, but must be bit-identical.
#pragma once

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/core/math/geometry.h"
#include "cuda/wave/model/cell.h"
#include "cuda/wave/model/sides.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// A hard source at one step: cells within `radius` of the segment (x0, y0)-(x1, y1) (in cells, the centre of cell (i,
// j) at (i + 1/2, j + 1/2)) are set to `height` instead of being updated. An oscillator is a segment of length zero.
template <class Real>
struct HardSource {
  float x0, y0, x1, y1, radius;
  Real height;
};

constexpr int max_wave_sources = 8;
constexpr int max_wave_steps_per_pass = 12;

// Sources in the steps of one pass; [s][k] is source s at the pass's k-th new time level.
template <class Real>
struct HardSources {
  int count = 0;
  HardSource<Real> hard_sources[max_wave_sources][max_wave_steps_per_pass];
};

template <class Real>
PERTURB_HD inline bool in_hard_source(const HardSource<Real>& hard_source, int i, int j) {
  return CellSegment{hard_source.x0, hard_source.y0, hard_source.x1, hard_source.y1}.distance2(i, j) <=
         hard_source.radius * hard_source.radius;
}

template <class Real>
struct StepParams {
  int width = 0, height = 0;
  Real courant2 = 0;  // weight of the Laplacian and of u(t) away from any sponge: b and a of model/cell.h
  Real inertia = 2;
  Stencil stencil = Stencil::five;
  Boundary left = Boundary::fixed, right = Boundary::fixed;
  Boundary bottom = Boundary::fixed, top = Boundary::fixed;
  View2D<const Real> medium;  // empty: the speed is c everywhere and there are no walls
  // By column and by row: the sponge's factor of both weights; 1 outside of it. Both empty: no sponge. Additional
  // damping h gives a factor 1/(1 + h). Where two sponges overlap, their factors multiply.
  View1D<const Real> sponge_x, sponge_y;
  HardSources<Real> sources;

  // The tank of the paper: uniform, fixed, periodic or free sides, no sources.
  PERTURB_HD bool is_plain() const {
    return medium.empty() && sponge_x.empty() && sources.count == 0 && !has_absorbing();
  }
  PERTURB_HD bool has_absorbing() const {
    return left == Boundary::absorbing || right == Boundary::absorbing || bottom == Boundary::absorbing ||
           top == Boundary::absorbing;
  }
};

// The sum of a cell's four corners, also at the boundary.
template <class Real>
PERTURB_HD inline Real corners_of(const StepParams<Real>& params, View2D<const Real> u, int i, int j) {
  const int left = wave_place(i - 1, params.width, params.left, params.right);
  const int right = wave_place(i + 1, params.width, params.left, params.right);
  const int down = wave_place(j - 1, params.height, params.bottom, params.top);
  const int up = wave_place(j + 1, params.height, params.bottom, params.top);
  const auto at = [&](int a, int b) { return a < 0 || b < 0 ? Real(0) : u(a, b); };
  return wave_corners(at(left, down), at(right, down), at(left, up), at(right, up));
}

// The new value of cell (i, j) at the pass's time level `level` (0: the first new one), from the fields of the two
// levels before it. `u_previous` is the cell's own. `nine`: the stencil of the pass, for kernels with one version for
// each stencil.
template <bool nine, class Real>
PERTURB_HD inline Real wave_cell_of(const StepParams<Real>& params, View2D<const Real> u, Real u_previous, int i, int j,
                                    int level) {
  for (int s = 0; s < params.sources.count; ++s) {
    const HardSource<Real>& hard_source = params.sources.hard_sources[s][level];
    if (in_hard_source(hard_source, i, j)) return hard_source.height;
  }
  Real courant2 = params.courant2;
  if (!params.medium.empty()) {
    const Real medium = params.medium(i, j);
    if (is_wall(medium)) return Real(0);
    courant2 = wave_courant2(medium, courant2);
  }
  Real weight = courant2, inertia = params.inertia;
  if (!params.sponge_x.empty()) {
    const Real sponge = params.sponge_x[i] * params.sponge_y[j];
    weight *= sponge;
    inertia *= sponge;
  }

  // The four neighbours; outside the tank they depend on the sides. A tank one cell wide has no inner neighbour: zero.
  const int last_i = params.width - 1, last_j = params.height - 1;
  const Real own = u(i, j);
  const Real left = i > 0 ? u(i - 1, j) : wave_outside(params.left, own, last_i > 0 ? u(1, j) : Real(0), u(last_i, j));
  const Real right =
      i < last_i ? u(i + 1, j) : wave_outside(params.right, own, last_i > 0 ? u(last_i - 1, j) : Real(0), u(0, j));
  const Real down =
      j > 0 ? u(i, j - 1) : wave_outside(params.bottom, own, last_j > 0 ? u(i, 1) : Real(0), u(i, last_j));
  const Real up =
      j < last_j ? u(i, j + 1) : wave_outside(params.top, own, last_j > 0 ? u(i, last_j - 1) : Real(0), u(i, 0));
  Real laplacian = wave_laplacian(own, left, right, down, up);
  if (nine) laplacian = laplacian_nine(laplacian, own, corners_of(params, u, i, j));
  const Real update = wave_advance(own, u_previous, laplacian, weight, inertia);

  const int sides =
      (i == 0 && params.left == Boundary::absorbing) + (i == last_i && params.right == Boundary::absorbing) +
      (j == 0 && params.bottom == Boundary::absorbing) + (j == last_j && params.top == Boundary::absorbing);
  return sides == 0 ? update : absorb(update, u_previous, courant2, sides);
}
template <class Real>
PERTURB_HD inline Real wave_cell(const StepParams<Real>& params, View2D<const Real> u, Real u_previous, int i, int j,
                                 int level) {
  return params.stencil == Stencil::nine ? wave_cell_of<true>(params, u, u_previous, i, j, level)
                                         : wave_cell_of<false>(params, u, u_previous, i, j, level);
}

// ---- coefficients of the scheme (model/cell.h) from the parameters, which are in the units of the domain

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
  params.width = width;
  params.height = height;
  params.stencil = p.stencil;
  const double courant = courant_number(p), divisor = damping_divisor(p);
  params.courant2 = static_cast<Real>(courant * courant / divisor);
  params.inertia = static_cast<Real>(p.damping_form == Damping::centred ? 2 / divisor : 2 - p.damping * p.time_step);
  params.left = p.boundary_left;
  params.right = p.boundary_right;
  params.bottom = p.boundary_bottom;
  params.top = p.boundary_top;
  return params;
}

}  // namespace perturb::wave
