// The solution u = sum of phi_i times patch i's polynomial, anywhere in the square.
#pragma once

#include "cuda/membrane/membrane_space.h"

namespace perturb::membrane {

struct FieldValue {
  double u = 0, x = 0, y = 0;  // value and gradient
};

struct SolutionField {
  SpaceView view;
  const double* coefficients;

  PERTURB_HD double polynomial(int patch, double x, double y) const {
    const Patch& p = view.patches[patch];
    double vx[most_powers], vy[most_powers];
    polynomial_values(view.basis, p.degree, (x - p.x) / p.half, vx);
    polynomial_values(view.basis, p.degree, (y - p.y) / p.half, vy);
    const double* c = coefficients + p.first;
    double sum = 0;
    for (int total = 0, n = 0; total <= p.degree; ++total)
      for (int b = 0; b <= total; ++b, ++n) sum = multiply_add(c[n], vx[total - b] * vy[b], sum);
    return sum;
  }
  // The point must lie in the square.
  PERTURB_HD double value(double x, double y) const {
    int list[most_over];
    const int over = view.patches_over(x, y, list);
    if (over == 1) return polynomial(list[0], x, y);
    double sum = 0, weights = 0;
    for (int k = 0; k < over; ++k) {
      const Patch& p = view.patches[list[k]];
      const double w = hat((x - p.x) / p.half) * hat((y - p.y) / p.half);
      weights += w;
      sum = multiply_add(w, polynomial(list[k], x, y), sum);
    }
    return sum / weights;
  }
  // Over a cell, whose patches are known.
  PERTURB_HD FieldValue in_cell(const Cell& c, double x, double y) const {
    struct Patches {
      const Patch* patches;
      const int* list;
      PERTURB_HD const Patch& operator()(int k) const { return patches[list[k]]; }
    };
    Weights w;
    w.at(x, y, c.over, Patches{view.patches, c.patches});
    FieldValue sum;
    Shapes s;
    for (int k = 0; k < c.over; ++k) {
      const Patch& p = view.patches[c.patches[k]];
      s.at(p, view.basis, x, y, w.phi[k], w.phi_x[k], w.phi_y[k]);
      const int functions = membrane_functions(p.degree);
      for (int n = 0; n < functions; ++n) {
        const double by = coefficients[p.first + n];
        sum.u += by * s.value[n], sum.x += by * s.x[n], sum.y += by * s.y[n];
      }
    }
    return sum;
  }

  // On the CPU: values at `count` points (x0 + i·dx, y), all of them in the square. In a row of a uniform cover, what a
  // column of patches says is a polynomial in x alone, which is worked out once.
  void row(double y, double x0, double dx, int count, double* out) const {
    if (!view.uniform) {
      for (int i = 0; i < count; ++i) out[i] = value(x0 + i * dx, y);
      return;
    }
    const double reach = 0.5 * (view.overlap - 1), per_half = 2 / view.overlap;
    const int n = view.per_side, j = view.along(y);
    const double ty = y * n - j;
    int rows[2] = {j, j}, over = 1;
    if (ty < reach && j > 0) rows[over++] = j - 1;
    if (ty > 1 - reach && j < n - 1) rows[over++] = j + 1;
    double vy[2][most_powers], phi[2] = {1, 0};
    for (int r = 0; r < over; ++r) {
      const double t = (y * n - rows[r] - 0.5) * per_half;
      polynomial_values(view.basis, view.highest_degree, t, vy[r]);
      if (over == 2) phi[r] = hat(t);
    }
    if (over == 2) {
      const double sum = phi[0] + phi[1];
      phi[0] /= sum, phi[1] /= sum;
    }
    struct Column {
      int i = -1;
      double c[most_powers];
    } columns[2];
    const auto column = [&](int i) -> const double* {
      Column& col = columns[i & 1];
      if (col.i == i) return col.c;
      col.i = i;
      for (double& c : col.c) c = 0;
      for (int r = 0; r < over; ++r) {
        const Patch& p = view.patches[rows[r] * n + i];
        const double* c = coefficients + p.first;
        for (int total = 0, k = 0; total <= p.degree; ++total)
          for (int b = 0; b <= total; ++b, ++k) col.c[total - b] += phi[r] * vy[r][b] * c[k];
      }
      return col.c;
    };
    const int degree = view.highest_degree;
    const auto along_x = [&](int i, double t) {
      const double* c = column(i);
      double vx[most_powers];
      polynomial_values(view.basis, degree, t, vx);
      double sum = 0;
      for (int a = 0; a <= degree; ++a) sum += c[a] * vx[a];
      return sum;
    };
    for (int k = 0; k < count; ++k) {
      const double x = x0 + k * dx;
      const int i = view.along(x);
      const double tx = x * n - i, t = (tx - 0.5) * per_half;
      const int side = tx < reach && i > 0 ? -1 : tx > 1 - reach && i < n - 1 ? 1 : 0;
      if (side == 0) {
        out[k] = along_x(i, t);
        continue;
      }
      const double t_other = (tx - 0.5 - side) * per_half, mine = hat(t), theirs = hat(t_other);
      out[k] = (mine * along_x(i, t) + theirs * along_x(i + side, t_other)) / (mine + theirs);
    }
  }
};

}  // namespace perturb::membrane
