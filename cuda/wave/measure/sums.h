// Sums over a tank's state, computed in one pass over both time levels.
#pragma once

#include <cfloat>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/model/step_params.h"

namespace perturb::wave {

struct Sums {
  double sum = 0, squares = 0;           // of the height, and of its square
  double kinetic = 0, potential = 0;     // sum of ((u - u_previous)/factor)² and of u·L u_previous
  float low = FLT_MAX, high = -FLT_MAX;  // the height's extremes
  float fastest = 0;                     // largest |u - u_previous|
  float steepest = 0;                    // largest difference to the neighbour on the right or above
  std::int64_t first_bad = INT64_MAX;    // row-major index of the first cell that is not finite

  PERTURB_HD void merge(const Sums& other) {
    sum += other.sum;
    squares += other.squares;
    kinetic += other.kinetic;
    potential += other.potential;
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
    fastest = other.fastest > fastest ? other.fastest : fastest;
    steepest = other.steepest > steepest ? other.steepest : steepest;
    first_bad = other.first_bad < first_bad ? other.first_bad : first_bad;
  }
};

// A reduction's body. The energy of the discrete scheme, conserved to rounding without damping and absorbing sides, is
//   sum ((u(t) - u(t-1))/dt)²/factor² - (c/dx)² sum u(t)·L u(t-1)
// where `factor` is that of the speed map, and the surface in walls counts as zero.
template <class Real>
struct Sum {
  StepParams<Real> params;  // for the sides and the medium
  View2D<const Real> u, u_previous;

  // Adds a cell; `laplacian` is that of the level before.
  PERTURB_HD void add(Real value, Real before, Real laplacian, Real right_now, Real up_now, Real factor,
                      Sums& into) const {
    const Real change = value - before;
    // Division in the field's own precision: on a GPU, a double division per cell would cost more than everything else.
    const double v = static_cast<double>(value),
                 rate = static_cast<double>(factor == Real(1) ? change : change / factor);
    into.sum += v;
    into.squares += v * v;
    into.kinetic += rate * rate;
    into.potential += v * static_cast<double>(laplacian);
    const float height = static_cast<float>(value);
    into.low = height < into.low ? height : into.low;
    into.high = height > into.high ? height : into.high;
    const float speed = fabsf(static_cast<float>(change));
    into.fastest = speed > into.fastest ? speed : into.fastest;
    const float slope_x = fabsf(static_cast<float>(right_now - value)),
                slope_y = fabsf(static_cast<float>(up_now - value));
    const float slope = slope_x > slope_y ? slope_x : slope_y;
    into.steepest = slope > into.steepest ? slope : into.steepest;
  }

  PERTURB_HD void operator()(int i, int j, Sums& into) const {
    Real factor = Real(1);
    const Real value = u(i, j), before = u_previous(i, j);
    if (!params.medium.empty()) {
      factor = params.medium(i, j);
      if (is_wall(factor)) return;
    }
    const int last_i = params.width - 1, last_j = params.height - 1;
    const Real left =
        i > 0 ? u_previous(i - 1, j)
              : wave_outside(params.left, before, last_i > 0 ? u_previous(1, j) : Real(0), u_previous(last_i, j));
    const Real right = i < last_i ? u_previous(i + 1, j)
                                  : wave_outside(params.right, before, last_i > 0 ? u_previous(last_i - 1, j) : Real(0),
                                                 u_previous(0, j));
    const Real down =
        j > 0 ? u_previous(i, j - 1)
              : wave_outside(params.bottom, before, last_j > 0 ? u_previous(i, 1) : Real(0), u_previous(i, last_j));
    const Real up = j < last_j ? u_previous(i, j + 1)
                               : wave_outside(params.top, before, last_j > 0 ? u_previous(i, last_j - 1) : Real(0),
                                              u_previous(i, 0));
    const Real right_now = i < last_i ? u(i + 1, j) : value, up_now = j < last_j ? u(i, j + 1) : value;
    Real laplacian = wave_laplacian(before, left, right, down, up);
    if (params.stencil == Stencil::nine)
      laplacian = laplacian_nine(laplacian, before, corners_of(params, u_previous, i, j));
    add(value, before, laplacian, right_now, up_now, factor, into);
    // x - x is zero only for finite numbers.
    if (!(value - value == Real(0))) {
      const std::int64_t index = static_cast<std::int64_t>(j) * params.width + i;
      into.first_bad = index < into.first_bad ? index : into.first_bad;
    }
  }

  // CPU version: sums in several lanes, so that the compiler can use vector instructions without reordering any sum.
  void row(int begin, int end, int j, Sums& into) const {
    params.stencil == Stencil::nine ? row_of<true>(begin, end, j, into) : row_of<false>(begin, end, j, into);
  }
  template <bool nine>
  void row_of(int begin, int end, int j, Sums& into) const {
    constexpr int lanes = 8;
    const bool rim = j == 0 || j == params.height - 1 || !params.medium.empty();
    if (rim || end - begin < 4 * lanes) {
      for (int i = begin; i < end; ++i) (*this)(i, j, into);
      return;
    }
    (*this)(begin, j, into);
    const Real* now = u.row(j);
    const Real* above = u.row(j + 1);
    const Real* was = u_previous.row(j);
    const Real* was_below = u_previous.row(j - 1);
    const Real* was_above = u_previous.row(j + 1);
    double sum[lanes] = {}, squares[lanes] = {}, kinetic[lanes] = {}, potential[lanes] = {};
    float low[lanes], high[lanes], fastest[lanes] = {}, steepest[lanes] = {}, bad[lanes] = {};
    for (int l = 0; l < lanes; ++l) {
      low[l] = FLT_MAX;
      high[l] = -FLT_MAX;
    }
    int i = begin + 1;
    for (; i + lanes < end; i += lanes) {
      PERTURB_INDEPENDENT_ITERATIONS
      for (int l = 0; l < lanes; ++l) {
        const Real value = now[i + l], before = was[i + l];
        const Real change = value - before;
        Real laplacian = wave_laplacian(before, was[i + l - 1], was[i + l + 1], was_below[i + l], was_above[i + l]);
        if (nine)
          laplacian = laplacian_nine(
              laplacian, before,
              wave_corners(was_below[i + l - 1], was_below[i + l + 1], was_above[i + l - 1], was_above[i + l + 1]));
        const double v = static_cast<double>(value), rate = static_cast<double>(change);
        sum[l] += v;
        squares[l] += v * v;
        kinetic[l] += rate * rate;
        potential[l] += v * static_cast<double>(laplacian);
        const float height = static_cast<float>(value), speed = std::fabs(static_cast<float>(change));
        low[l] = height < low[l] ? height : low[l];
        high[l] = height > high[l] ? height : high[l];
        fastest[l] = speed > fastest[l] ? speed : fastest[l];
        const float slope_x = std::fabs(static_cast<float>(now[i + l + 1] - value));
        const float slope_y = std::fabs(static_cast<float>(above[i + l] - value));
        const float slope = slope_x > slope_y ? slope_x : slope_y;
        steepest[l] = slope > steepest[l] ? slope : steepest[l];
        bad[l] += static_cast<float>(value - value);
      }
    }
    bool finite = true;
    for (int l = 0; l < lanes; ++l) {
      Sums part;
      part.sum = sum[l];
      part.squares = squares[l];
      part.kinetic = kinetic[l];
      part.potential = potential[l];
      part.low = low[l];
      part.high = high[l];
      part.fastest = fastest[l];
      part.steepest = steepest[l];
      into.merge(part);
      finite = finite && bad[l] == 0.f;
    }
    if (!finite)
      for (int k = begin + 1; k < i; ++k)
        if (!std::isfinite(now[k])) {
          const std::int64_t index = static_cast<std::int64_t>(j) * params.width + k;
          into.first_bad = index < into.first_bad ? index : into.first_bad;
          break;
        }
    for (; i < end; ++i) (*this)(i, j, into);
  }
};

}  // namespace perturb::wave
