// The loops of the assembly as functors for both backends: the integrals over cells, and those along the boundary.
#pragma once

#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

// Calls visit(x, y, weight) for the points of a cell: those of a tensor rule. A cell at the tip is divided into two
// triangles with the tip as a corner, on which points converge towards it (Duffy, SIAM J. Numer. Anal. 19, 1982).
template <class Visit>
PERTURB_HD void for_each_point(const SpaceView& view, const Cell& c, const Rule& of_cells, const Rule& near,
                               const Visit& visit) {
  constexpr double tip = Domain::tip;
  const bool is_near = view.domain.is_near(c.x0, c.x1, c.y0, c.y1);
  const Rule& rule = is_near ? near : of_cells;
  if (is_near && (c.x0 == tip || c.x1 == tip) && (c.y0 == tip || c.y1 == tip)) {
    const double a = c.x0 == tip ? c.x1 - tip : c.x0 - tip, b = c.y0 == tip ? c.y1 - tip : c.y0 - tip;
    const double area = (c.x1 - c.x0) * (c.y1 - c.y0);
    for (int j = 0; j < rule.count; ++j)
      for (int i = 0; i < rule.count; ++i) {
        const Graded along = view.domain.graded(rule.point[i]);
        const double across = 0.5 * (1 + rule.point[j]);
        const double weight = 0.25 * rule.weight[i] * rule.weight[j] * area * along.r * along.slope;
        visit(tip + a * along.r, tip + b * along.r * across, weight);
        visit(tip + a * along.r * across, tip + b * along.r, weight);
      }
    return;
  }
  const double mx = 0.5 * (c.x0 + c.x1), hx = 0.5 * (c.x1 - c.x0), my = 0.5 * (c.y0 + c.y1), hy = 0.5 * (c.y1 - c.y0);
  for (int b = 0; b < rule.count; ++b)
    for (int a = 0; a < rule.count; ++a)
      visit(mx + hx * rule.point[a], my + hy * rule.point[b], hx * hy * rule.weight[a] * rule.weight[b]);
}

// The boundary parts of a cell: on a fixed side, Nitsche's terms -(du/dn v + u dv/dn) + beta u v.
struct Edge {
  bool touched = false;
  bool inner = false;             // at the tip of the domain: always fixed
  int tip = 0;                    // the tip is at t = 1 or t = -1; 0: at neither
  double nx = 0, ny = 0;          // outward normal
  double x0, y0, dx, dy, length;  // points (x0 + dx t, y0 + dy t), t in [-1, 1]
};
PERTURB_HD inline Edge edge(const Cell& c, int side, const bool* fixed) {
  Edge e;
  if (!fixed[side]) return e;
  const double mx = 0.5 * (c.x0 + c.x1), my = 0.5 * (c.y0 + c.y1), hx = 0.5 * (c.x1 - c.x0), hy = 0.5 * (c.y1 - c.y0);
  if (side < 2) {
    const double at = side == 0 ? 0 : 1;
    e.touched = side == 0 ? c.x0 == 0 : c.x1 == 1;
    e.nx = side == 0 ? -1 : 1;
    e.x0 = at;
    e.y0 = my;
    e.dx = 0;
    e.dy = hy;
    e.length = 2 * hy;
  } else {
    const double at = side == 2 ? 0 : 1;
    e.touched = side == 2 ? c.y0 == 0 : c.y1 == 1;
    e.ny = side == 2 ? -1 : 1;
    e.x0 = mx;
    e.y0 = at;
    e.dx = hx;
    e.dy = 0;
    e.length = 2 * hx;
  }
  return e;
}
// The edges at the tip. Points on a slit are moved by rounding into the part to which their cell belongs.
PERTURB_HD inline Edge inner_edge(const Domain& domain, const Cell& c, int side) {
  Edge e;
  if (!domain.has_edge(c.x0, c.x1, c.y0, c.y1, side)) return e;
  constexpr double tip = Domain::tip, rounding = 1e-15;
  e.touched = e.inner = true;
  if (side == 1) {
    e.nx = 1;
    e.x0 = tip - rounding;
    e.y0 = 0.5 * (c.y0 + c.y1);
    e.dx = 0;
    e.dy = 0.5 * (c.y1 - c.y0);
    e.length = 2 * e.dy;
    e.tip = c.y1 == tip ? 1 : 0;
    return e;
  }
  e.ny = side == 2 ? -1 : 1;
  e.x0 = 0.5 * (c.x0 + c.x1);
  e.y0 = tip - e.ny * rounding;
  e.dx = 0.5 * (c.x1 - c.x0);
  e.dy = 0;
  e.length = 2 * e.dx;
  e.tip = c.x0 == tip ? -1 : 0;
  return e;
}
// The part of a cell's boundary on this side, of the square or at the tip.
PERTURB_HD inline Edge any_edge(const SpaceView& view, const Cell& c, int side, const bool* fixed) {
  const Edge e = edge(c, side, fixed);
  return e.touched ? e : inner_edge(view.domain, c, side);
}
// Calls visit(x, y, weight) for the points of an edge, which converge towards the tip.
template <class Visit>
PERTURB_HD void for_each_point(const SpaceView& view, const Cell& c, const Edge& e, const Rule& of_cells,
                               const Rule& near, const Visit& visit) {
  const Rule& rule = view.domain.is_near(c.x0, c.x1, c.y0, c.y1) ? near : of_cells;
  for (int a = 0; a < rule.count; ++a) {
    double t = rule.point[a], weight = 0.5 * e.length * rule.weight[a];
    if (e.tip != 0) {
      const Graded along = view.domain.graded(t);
      t = e.tip * (1 - 2 * along.r);
      weight *= along.slope;
    }
    visit(e.x0 + e.dx * t, e.y0 + e.dy * t, weight);
  }
}
// beta on a cell: one number for a uniform cover, otherwise from the cell's own patches.
PERTURB_HD inline double membrane_beta(const SpaceView& view, const Cell& c, double nitsche) {
  if (view.uniform) return nitsche * view.highest_degree * view.highest_degree * view.per_side;
  int degree = 1, level = 0;
  for (int k = 0; k < c.over; ++k) {
    const Patch& p = view.patches[c.patches[k]];
    degree = p.degree > degree ? p.degree : degree;
    // The slope of s across the edges at the tip: with beta of p = 1, or at a slit of 2, K would not be definite.
    degree = p.enriched && degree < 3 ? 3 : degree;
    level = p.level > level ? p.level : level;
  }
  return nitsche * degree * degree * static_cast<double>(1 << level);
}

struct PatchesOf {
  const Patch* patches;
  const int* list;
  PERTURB_HD const Patch& operator()(int k) const { return patches[list[k]]; }
};

// One row of blocks per task: everything that row i of the matrices holds, from all cells under patch i. No other task
// writes it.
struct Rows {
  SpaceView view;
  Form form;
  Targets to;

  void task(int i) const { rows(i, 0, view.functions(i)); }
  PERTURB_HD void operator()(int i, int n) const {
    if (n < view.functions(i)) rows(i, n, n + 1);
  }

 private:
  PERTURB_HD void rows(int i, int begin, int end) const {
    const Patch& own = view.patches[i];
    const int functions = own.functions();
    clear(i, functions, begin, end);
    const int cells = view.cells_of(i);
    std::int64_t place[max_patches_over_point];
    for (int which = 0; which < cells; ++which) {
      const Cell c = view.cell_of(i, which);
      const int self = c.index_of(i);
      if (to.stiffness)
        for (int k = 0; k < c.over; ++k) place[k] = view.offset[view.block(i, c.patches[k])];
      for_each_point(view, c, form.rule, form.near,
                     [&](double x, double y, double weight) { at_point(c, self, place, x, y, weight, begin, end); });
      if (!to.stiffness) continue;
      for (int side = 0; side < 4; ++side) {
        const Edge e = any_edge(view, c, side, form.fixed);
        if (!e.touched) continue;
        const double beta = membrane_beta(view, c, form.nitsche);
        for_each_point(view, c, e, form.rule, form.near, [&](double x, double y, double weight) {
          on_edge(c, self, place, e, x, y, weight, beta, begin, end);
        });
      }
    }
  }

  PERTURB_HD void clear(int i, int functions, int begin, int end) const {
    if (to.stiffness)
      for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k)
        for (int m = 0; m < view.functions(view.column[k]); ++m)
          for (int n = begin; n < end; ++n) {
            to.stiffness[view.offset[k] + m * functions + n] = 0;
            if (to.mass) to.mass[view.offset[k] + m * functions + n] = 0;
          }
    if (to.load)
      for (int n = begin; n < end; ++n) to.load[view.patches[i].first + n] = 0;
  }

  PERTURB_HD void at_point(const Cell& c, int self, const std::int64_t* place, double x, double y, double weight,
                           int begin, int end) const {
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    const Patch& own = view.patches[c.patches[self]];
    const int functions = own.functions();
    Shapes v;
    view.shapes(own, x, y, w, self, v);
    if (to.load) {
      const double f = weight * form.source(x, y);
      for (int n = begin; n < end; ++n) to.load[own.first + n] += f * v.value[n];
    }
    if (!to.stiffness) return;
    Shapes u;
    for (int k = 0; k < c.over; ++k) {
      const Patch& other = view.patches[c.patches[k]];
      view.shapes(other, x, y, w, k, u);
      const int columns = other.functions();
      for (int m = 0; m < columns; ++m) {
        double* stiffness = to.stiffness + place[k] + m * functions;
        double* mass = to.mass ? to.mass + place[k] + m * functions : nullptr;
        for (int n = begin; n < end; ++n) {
          // Exchanging row and column gives a bit-identical result.
          const double gradients = weight * (v.x[n] * u.x[m] + v.y[n] * u.y[m]);
          const double values = weight * (v.value[n] * u.value[m]);
          if (mass) {
            stiffness[n] += gradients;
            mass[n] += values;
          } else {
            stiffness[n] += gradients + to.shift * values;
          }
        }
      }
    }
  }

  PERTURB_HD void on_edge(const Cell& c, int self, const std::int64_t* place, const Edge& e, double x, double y,
                          double weight, double beta, int begin, int end) const {
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    const Patch& own = view.patches[c.patches[self]];
    const int functions = own.functions();
    Shapes v, u;
    view.shapes(own, x, y, w, self, v);
    for (int k = 0; k < c.over; ++k) {
      const Patch& other = view.patches[c.patches[k]];
      view.shapes(other, x, y, w, k, u);
      const int columns = other.functions();
      for (int m = 0; m < columns; ++m) {
        const double slope_u = e.nx * u.x[m] + e.ny * u.y[m];
        double* stiffness = to.stiffness + place[k] + m * functions;
        for (int n = begin; n < end; ++n) {
          const double slope_v = e.nx * v.x[n] + e.ny * v.y[n];
          stiffness[n] += weight * (beta * (v.value[n] * u.value[m]) - (v.value[n] * slope_u + slope_v * u.value[m]));
        }
      }
    }
  }
};

// The kernel of the paper: one cell per task, which adds its contribution to the blocks of all its patches. Cells that
// run at the same time share no patch. For uniform covers; the matrices must be zero before.
struct Cells {
  SpaceView view;
  Form form;
  Targets to;
  const int* schedule;  // numbers piece_y·(2n - 1) + piece_x

  PERTURB_HD void operator()(int index, int) const { cell(index); }
  void task(int index) const { cell(index); }

 private:
  PERTURB_HD void cell(int index) const {
    const int along = 2 * view.per_side - 1, number = schedule[index];
    const Cell c = view.uniform_cell(number % along, number / along);
    const double mx = 0.5 * (c.x0 + c.x1), hx = 0.5 * (c.x1 - c.x0), my = 0.5 * (c.y0 + c.y1), hy = 0.5 * (c.y1 - c.y0);
    for (int b = 0; b < form.rule.count; ++b)
      for (int a = 0; a < form.rule.count; ++a)
        at_point(c, mx + hx * form.rule.point[a], my + hy * form.rule.point[b],
                 hx * hy * form.rule.weight[a] * form.rule.weight[b]);
    if (!to.stiffness) return;
    for (int side = 0; side < 4; ++side) {
      const Edge e = edge(c, side, form.fixed);
      if (!e.touched) continue;
      const double beta = membrane_beta(view, c, form.nitsche);
      for (int a = 0; a < form.rule.count; ++a)
        on_edge(c, e, e.x0 + e.dx * form.rule.point[a], e.y0 + e.dy * form.rule.point[a],
                0.5 * e.length * form.rule.weight[a], beta);
    }
  }

  PERTURB_HD void at_point(const Cell& c, double x, double y, double weight) const {
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    Shapes s[4];
    for (int k = 0; k < c.over; ++k)
      s[k].at(view.patches[c.patches[k]], view.basis, x, y, w.phi[k], w.phi_x[k], w.phi_y[k]);
    const double f = to.load ? weight * form.source(x, y) : 0;
    for (int i = 0; i < c.over; ++i) {
      const Patch& own = view.patches[c.patches[i]];
      const int functions = own.functions();
      if (to.load)
        for (int n = 0; n < functions; ++n) to.load[own.first + n] += f * s[i].value[n];
      if (!to.stiffness) continue;
      for (int j = 0; j < c.over; ++j) {
        const std::int64_t place = view.offset[view.block(c.patches[i], c.patches[j])];
        const int columns = view.functions(c.patches[j]);
        for (int m = 0; m < columns; ++m)
          for (int n = 0; n < functions; ++n) {
            const double gradients = weight * (s[i].x[n] * s[j].x[m] + s[i].y[n] * s[j].y[m]);
            const double values = weight * (s[i].value[n] * s[j].value[m]);
            double& stiffness = to.stiffness[place + m * functions + n];
            if (to.mass) {
              stiffness += gradients;
              to.mass[place + m * functions + n] += values;
            } else {
              stiffness += gradients + to.shift * values;
            }
          }
      }
    }
  }

  PERTURB_HD void on_edge(const Cell& c, const Edge& e, double x, double y, double weight, double beta) const {
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    Shapes s[4];
    for (int k = 0; k < c.over; ++k)
      s[k].at(view.patches[c.patches[k]], view.basis, x, y, w.phi[k], w.phi_x[k], w.phi_y[k]);
    for (int i = 0; i < c.over; ++i)
      for (int j = 0; j < c.over; ++j) {
        const std::int64_t place = view.offset[view.block(c.patches[i], c.patches[j])];
        const int functions = view.functions(c.patches[i]), columns = view.functions(c.patches[j]);
        for (int m = 0; m < columns; ++m)
          for (int n = 0; n < functions; ++n) {
            const double slope_u = e.nx * s[j].x[m] + e.ny * s[j].y[m];
            const double slope_v = e.nx * s[i].x[n] + e.ny * s[i].y[n];
            to.stiffness[place + m * functions + n] +=
                weight * (beta * (s[i].value[n] * s[j].value[m]) - (s[i].value[n] * slope_u + slope_v * s[j].value[m]));
          }
      }
  }
};

// Rows of blocks as products of the integrals of each direction: every number is written once, from two tables that
// stay in the cache. For uniform covers.
struct Tensor {
  SpaceView view;
  const Tables *x, *y;
  double* stiffness;
  double* mass;
  double shift, area;  // area of a cell, a factor of M
  int powers_a[max_functions], powers_b[max_functions];

  void task(int i) const {
    for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k) {
      const int columns = view.functions(view.column[k]);
      for (int m = 0; m < columns; ++m) column(i, k, m);
    }
  }
  // Lanes are the numbers of a column... each lane takes the same function of every block.
  PERTURB_HD void operator()(int i, int n) const {
    const int functions = view.functions(i);
    if (n >= functions) return;
    for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k) {
      const int columns = view.functions(view.column[k]);
      for (int m = 0; m < columns; ++m) entry(i, k, m, n, functions);
    }
  }

 private:
  void column(int i, std::int64_t k, int m) const {
    const int functions = view.functions(i);
    for (int n = 0; n < functions; ++n) entry(i, k, m, n, functions);
  }
  PERTURB_HD void entry(int i, std::int64_t k, int m, int n, int functions) const {
    const int per_side = view.per_side, j = view.column[k];
    const int dx = j % per_side - i % per_side + 1, dy = j / per_side - i / per_side + 1;
    const int kx = kind_of(i % per_side, per_side), ky = kind_of(i / per_side, per_side);
    const double mx = x->mass[kx][dx][powers_a[n]][powers_a[m]], sx = x->stiff[kx][dx][powers_a[n]][powers_a[m]];
    const double my = y->mass[ky][dy][powers_b[n]][powers_b[m]], sy = y->stiff[ky][dy][powers_b[n]][powers_b[m]];
    const double gradients = sx * my + mx * sy, values = area * (mx * my);
    const std::int64_t at = view.offset[k] + m * functions + n;
    if (mass) {
      stiffness[at] = gradients;
      mass[at] = values;
    } else {
      stiffness[at] = gradients + shift * values;
    }
  }
};

// The load's integrals over one direction: tasks 0 .. n - 1 for x, the others for y.
struct Loads {
  Source source;
  Rule rule;
  Basis basis;
  int per_side, degree;
  double overlap;
  double* loads;  // [2][per_side][max_powers]

  void task(int index) const { (*this)(index, 0); }
  PERTURB_HD void operator()(int index, int) const {
    const int i = index % per_side;
    const bool along_x = index < per_side;
    const double center = (i + 0.5) / per_side, half = 0.5 * overlap / per_side;
    double sums[max_powers] = {}, values[max_powers];
    const int last = i < per_side - 1 ? 2 * i + 1 : 2 * i;
    for (int piece = i > 0 ? 2 * i - 1 : 0; piece <= last; ++piece) {
      const double begin = piece_begin(piece, per_side, overlap), end = piece_end(piece, per_side, overlap);
      for (int a = 0; a < rule.count; ++a) {
        const double at = 0.5 * (begin + end) + 0.5 * (end - begin) * rule.point[a], t = (at - center) / half;
        double phi = 1;
        if (piece % 2 == 1) {
          const double other = piece == 2 * i + 1 ? center + 1.0 / per_side : center - 1.0 / per_side;
          const double mine = hat(t), theirs = hat((at - other) / half);
          phi = mine / (mine + theirs);
        }
        const double f =
            0.5 * (end - begin) * rule.weight[a] * phi * (along_x ? source.factor_x(at) : source.factor_y(at));
        polynomial_values(basis, degree, t, values);
        for (int k = 0; k <= degree; ++k) sums[k] += f * values[k];
      }
    }
    for (int k = 0; k <= degree; ++k) loads[index * max_powers + k] = sums[k];
  }
};
struct LoadProducts {
  SpaceView view;
  const double* loads;
  double strength;
  double* to;
  int powers_a[max_functions], powers_b[max_functions];

  PERTURB_HD void operator()(int i, int n) const {
    if (n >= view.functions(i)) return;
    const double* x = loads + (i % view.per_side) * max_powers;
    const double* y = loads + (view.per_side + i / view.per_side) * max_powers;
    to[view.patches[i].first + n] = strength * x[powers_a[n]] * y[powers_b[n]];
  }
};

// ---- a load by formula
//
// One patch per task: it adds only to its own rows, from the points of the cells under it, those of the matrices. Apart
// from the other loops, whose kernels would otherwise need the formula's stack.
struct FormulaLoad {
  SpaceView view;
  Rule rule, near;
  FormulaProgram formula;
  double strength;
  double* load;  // assembled before

  void task(int i) const { (*this)(i, 0); }
  PERTURB_HD void operator()(int i, int) const {
    const Patch& own = view.patches[i];
    const int functions = own.functions();
    for (int which = 0, cells = view.cells_of(i); which < cells; ++which) {
      const Cell c = view.cell_of(i, which);
      const int self = c.index_of(i);
      for_each_point(view, c, rule, near, [&](double x, double y, double weight) {
        Weights w;
        w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
        Shapes v;
        view.shapes(own, x, y, w, self, v);
        const double f = weight * (strength * formula(x, y));
        for (int n = 0; n < functions; ++n) load[own.first + n] += f * v.value[n];
      });
    }
  }
};

// ---- boundary values
//
// Contribution of the boundary values to the load: on fixed sides Nitsche's terms with g, (beta v - dv/dn) g, on free
// sides (dg/dn) v. The solution g then satisfies the discrete equation to rounding wherever it satisfies the exact one.

// One patch per task: it adds only to its own rows, from the cells under it that touch a side. The load must be
// assembled before.
struct RimLoad {
  SpaceView view;
  Form form;
  double* load;

  void task(int i) const { (*this)(i, 0); }
  PERTURB_HD void operator()(int i, int) const {
    const Patch& own = view.patches[i];
    const bool is_inside = own.x - own.half > 0 && own.x + own.half < 1 && own.y - own.half > 0 && own.y + own.half < 1;
    if (is_inside && !view.domain.has_tip()) return;
    const bool every_side[4] = {true, true, true, true};
    for (int which = 0, cells = view.cells_of(i); which < cells; ++which) {
      const Cell c = view.cell_of(i, which);
      for (int side = 0; side < 4; ++side) {
        const Edge e = any_edge(view, c, side, every_side);
        if (!e.touched) continue;
        for_each_point(view, c, e, form.rule, form.near, [&](double x, double y, double weight) {
          on_edge(c, c.index_of(i), e, e.inner || form.fixed[side], x, y, weight);
        });
      }
    }
  }

 private:
  PERTURB_HD void on_edge(const Cell& c, int self, const Edge& e, bool fixed, double x, double y, double weight) const {
    Weights w;
    w.at(x, y, c.over, PatchesOf{view.patches, c.patches});
    const Patch& own = view.patches[c.patches[self]];
    Shapes v;
    view.shapes(own, x, y, w, self, v);
    const double height = form.rim.value(x, y), beta = membrane_beta(view, c, form.nitsche);
    const double slope = e.nx * form.rim.slope_x(x, y) + e.ny * form.rim.slope_y(x, y);
    const int functions = own.functions();
    for (int n = 0; n < functions; ++n)
      load[own.first + n] +=
          weight * (fixed ? height * (beta * v.value[n] - (e.nx * v.x[n] + e.ny * v.y[n])) : slope * v.value[n]);
  }
};

}  // namespace perturb::membrane
