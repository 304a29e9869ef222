// Sums over a flow, computed in one pass.
#pragma once

#include <cfloat>
#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/step_params.h"
#include "cuda/lbm/model/velocity_rows.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

struct Sums {
  double mass = 0, momentum_x = 0, momentum_y = 0, energy = 0;  // of the fluid; mass as rho - 1 summed
  double force_x = 0, force_y = 0;                              // force of the fluid on all painted walls
  double probe_ux = 0, probe_uy = 0;                            // the velocity at the probe
  std::int64_t fluid = 0;
  float fastest2 = 0, density_low = FLT_MAX, density_high = -FLT_MAX;
  float shear2 = 0;  // the square of the largest rate of strain, √(2 S:S), between cells and between cell and wall
  std::int64_t limited = 0;            // cells in which the limiter acts (model/cell.h)
  std::int64_t first_bad = INT64_MAX;  // row-major index of the first cell that is not finite

  PERTURB_HD void merge(const Sums& o) {
    mass += o.mass;
    momentum_x += o.momentum_x;
    momentum_y += o.momentum_y;
    energy += o.energy;
    force_x += o.force_x;
    force_y += o.force_y;
    fluid += o.fluid;
    probe_ux += o.probe_ux;
    probe_uy += o.probe_uy;
    fastest2 = o.fastest2 > fastest2 ? o.fastest2 : fastest2;
    density_low = o.density_low < density_low ? o.density_low : density_low;
    density_high = o.density_high > density_high ? o.density_high : density_high;
    shear2 = o.shear2 > shear2 ? o.shear2 : shear2;
    limited += o.limited;
    first_bad = o.first_bad < first_bad ? o.first_bad : first_bad;
  }
};

// Force on walls by momentum exchange, as in model/forces.cpp.
template <class T>
struct Sum {
  StepParams params;
  Velocity<T> velocity;
  WallCurve curve;
  int probe_i = -1, probe_j = -1;  // its cell; -1: none

  // Change of velocity from this cell to the one that link q comes from, or to a wall's or side's own velocity half a
  // cell away, where there is one. At an outlet it is the cell's velocity. `beside(q)` is that cell, across periodic
  // sides too.
  template <class Beside>
  PERTURB_HD Moments change(int q, int i, int j, const Moments& here, int boundary_links, const Beside& beside) const {
    if ((boundary_links & (1 << (q - 1))) == 0) {
      const Moments there = beside(q);
      return {0.f, there.ux - here.ux, there.uy - here.uy};
    }
    const Crossing crossing = lbm_crossing(params, q, i, j);
    if (crossing.any && crossing.side.kind == Boundary::outlet) return {0.f, 0.f, 0.f};
    const float share = crossing.any ? side_profile(params, crossing, i, j) : 0.f;
    const float ux = crossing.any ? share * crossing.side.ux : 0.f, uy = crossing.any ? share * crossing.side.uy : 0.f;
    return {0.f, 2.f * (ux - here.ux), 2.f * (uy - here.uy)};
  }
  template <class Beside>
  PERTURB_HD float shear_at(int i, int j, const Moments& here, int boundary_links, const Beside& beside) const {
    const auto larger = [](const Moments& a, const Moments& b) {  // `b` points the opposite way
      return a.ux * a.ux + a.uy * a.uy > b.ux * b.ux + b.uy * b.uy ? a : Moments{0.f, -b.ux, -b.uy};
    };
    // To the right and upwards; to the left and downwards only at a boundary, where no other cell counts the pair.
    Moments x = change(3, i, j, here, boundary_links, beside), y = change(4, i, j, here, boundary_links, beside);
    if (boundary_links & 1) x = larger(x, change(1, i, j, here, boundary_links, beside));
    if (boundary_links & 2) y = larger(y, change(2, i, j, here, boundary_links, beside));
    const float across = x.uy + y.ux;
    return 2.f * (x.ux * x.ux + y.uy * y.uy) + across * across;
  }

  PERTURB_HD void operator()(int i, int j, Sums& into) const {
    if (velocity.is_wall(i, j)) return;
    add(i, j, velocity(i, j), into,
        [&](int q) { return velocity(wrap(i - lbm_ex(q), params.width), wrap(j - lbm_ey(q), params.height)); });
  }
  // CPU version: whole rows, so that values shared by neighbours are computed once.
  void rows(int begin, int end, int width, Sums* into) const {
    VelocityRows<T> rows(velocity, {true, true}, 0, width);
    for (int j = begin; j < end; ++j) {
      const auto below = rows.row(j - 1), here = rows.row(j), above = rows.row(j + 1);
      Sums sums;
      for (int i = 0; i < width; ++i) {
        if (velocity.is_wall(i, j)) continue;
        add(i, j, here.at(i), sums, BesideInRows{below, here, above, i});
      }
      into[j] = sums;
    }
  }

 private:
  // The cells that links come from, within three rows.
  struct BesideInRows {
    typename VelocityRows<T>::Row below, here, above;
    int i;
    PERTURB_HD Moments operator()(int q) const {
      const auto& row = lbm_ey(q) == 0 ? here : lbm_ey(q) > 0 ? below : above;
      return row.at(i - lbm_ex(q));
    }
  };

  template <class Beside>
  PERTURB_HD void add(int i, int j, const Moments& m, Sums& into, const Beside& beside) const {
    const float rho = 1.f + m.drho, speed2 = m.ux * m.ux + m.uy * m.uy;
    into.fluid += 1;
    if (i == probe_i && j == probe_j) {
      into.probe_ux = static_cast<double>(m.ux);
      into.probe_uy = static_cast<double>(m.uy);
    }
    into.mass += static_cast<double>(m.drho);
    into.momentum_x += static_cast<double>(rho * m.ux);
    into.momentum_y += static_cast<double>(rho * m.uy);
    into.energy += 0.5 * static_cast<double>(rho * speed2);
    into.fastest2 = speed2 > into.fastest2 ? speed2 : into.fastest2;
    into.density_low = rho < into.density_low ? rho : into.density_low;
    into.density_high = rho > into.density_high ? rho : into.density_high;
    if (lbm_exceeds(lbm_load(m))) into.limited += 1;
    if (!(speed2 - speed2 == 0.f && rho - rho == 0.f)) {
      const std::int64_t index = static_cast<std::int64_t>(j) * params.width + i;
      into.first_bad = index < into.first_bad ? index : into.first_bad;
    }
    const int boundary_links = params.links.empty() ? 0 : params.links(i, j);
    const float shear2 = shear_at(i, j, m, boundary_links, beside);
    into.shear2 = shear2 > into.shear2 ? shear2 : into.shear2;
    const int mask = params.painted ? boundary_links : 0;
    if (mask == 0) return;
    for (int q = 1; q < lbm_links; ++q) {
      if (!(mask & (1 << (q - 1))) || lbm_crossing(params, q, i, j).any) continue;
      const int o = lbm_opposite(q);
      const auto there = static_cast<double>(velocity.g.at(o, i, j));
      const double both =
          curve.empty() ? 2. * there : there + static_cast<double>(curve.population(velocity.g, q, i, j));
      into.force_x += lbm_ex(o) * both;
      into.force_y += lbm_ey(o) * both;
    }
  }
};

}  // namespace perturb::lbm
