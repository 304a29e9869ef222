// Contribution of the boundary values to the load: on fixed sides Nitsche's terms with g, (beta v - dv/dn) g, on free
// sides (dg/dn) v. The solution g then satisfies the discrete equation to rounding wherever it satisfies the exact one.
#pragma once

#include "cuda/membrane/model/integrals.h"

namespace perturb::membrane {

// One patch per task: it adds only to its own rows, from the cells under it that touch a side. The load must be
// assembled before.
struct RimLoad {
  SpaceView view;
  Form form;
  double* load;

  void task(int i) const { (*this)(i, 0); }
  PERTURB_HD void operator()(int i, int) const {
    const Patch& own = view.patches[i];
    if (own.x - own.half > 0 && own.x + own.half < 1 && own.y - own.half > 0 && own.y + own.half < 1) return;
    const bool every_side[4] = {true, true, true, true};
    for (int which = 0, cells = view.cells_of(i); which < cells; ++which) {
      const Cell c = view.cell_of(i, which);
      for (int side = 0; side < 4; ++side) {
        const Edge e = edge(c, side, every_side);
        if (!e.touched) continue;
        for (int a = 0; a < form.rule.count; ++a)
          on_edge(c, c.place_of(i), e, form.fixed[side], form.rule.point[a], 0.5 * e.length * form.rule.weight[a]);
      }
    }
  }

 private:
  PERTURB_HD void on_edge(const Cell& c, int self, const Edge& e, bool fixed, double t, double weight) const {
    const double x = e.x0 + e.dx * t, y = e.y0 + e.dy * t;
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    const Patch& own = view.patches[c.patches[self]];
    Shapes v;
    v.at(own, view.basis, x, y, w.phi[self], w.phi_x[self], w.phi_y[self]);
    const double height = form.rim.value(x, y), beta = membrane_beta(view, c, form.nitsche);
    const double slope = e.nx * form.rim.slope_x(x, y) + e.ny * form.rim.slope_y(x, y);
    const int functions = membrane_functions(own.degree);
    for (int n = 0; n < functions; ++n)
      load[own.first + n] +=
          weight * (fixed ? height * (beta * v.value[n] - (e.nx * v.x[n] + e.ny * v.y[n])) : slope * v.value[n]);
  }
};

}  // namespace perturb::membrane
