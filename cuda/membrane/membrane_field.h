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

  // On the CPU: values at `count` points (x0 + i·dx, y), all of them in the square. In a row, what a patch says is a
  // polynomial in x alone, which is worked out once; points under the same patches are taken together, as vectors.
  void row(double y, double x0, double dx, int count, double* out) const {
    view.uniform ? row_of_uniform(y, x0, dx, count, out) : row_of_leaves(y, x0, dx, count, out);
  }

 private:
  static constexpr int most_of_run = 128;

  void row_of_uniform(double y, double x0, double dx, int count, double* out) const {
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
      for (int r = 0; r < over; ++r) add_row(view.patches[rows[r] * n + i], phi[r], vy[r], col.c);
      return col.c;
    };
    for (int first = 0; first < count; first += most_of_run) {
      const int last = count - first < most_of_run ? count - first : most_of_run;
      double in_patch[most_of_run];  // from its left side, in sides
      int patch[most_of_run], beside[most_of_run];
      for (int k = 0; k < last; ++k) {
        const double x = x0 + (first + k) * dx;
        const int i = view.along(x);
        const double tx = x * n - i;
        patch[k] = i, in_patch[k] = tx;
        beside[k] = tx < reach && i > 0 ? -1 : tx > 1 - reach && i < n - 1 ? 1 : 0;
      }
      // Points under the same patches together: their loops are vectors.
      for (int begin = 0, end; begin < last; begin = end) {
        const int i = patch[begin], side = beside[begin];
        for (end = begin + 1; end < last && patch[end] == i && beside[end] == side; ++end) {
        }
        const int points = end - begin;
        double t[most_of_run], mine[most_of_run];
        double* const u = out + first + begin;
        for (int k = 0; k < points; ++k) t[k] = (in_patch[begin + k] - 0.5) * per_half;
        polynomials_of(column(i), t, points, u);
        if (side == 0) continue;
        for (int k = 0; k < points; ++k) mine[k] = hat(t[k]);
        for (int k = 0; k < points; ++k) t[k] = (in_patch[begin + k] - 0.5 - side) * per_half;
        double other[most_of_run];
        polynomials_of(column(i + side), t, points, other);
        for (int k = 0; k < points; ++k) {
          const double theirs = hat(t[k]);
          u[k] = (mine[k] * u[k] + theirs * other[k]) / (mine[k] + theirs);
        }
      }
    }
  }

  void row_of_leaves(double y, double x0, double dx, int count, double* out) const {
    double t[most_of_run], of_patch[most_of_run], weights[most_of_run];
    for (int begin = 0, end; begin < count; begin = end) {
      const int leaf = view.leaf(x0 + begin * dx, y);
      for (end = begin + 1; end < count && end - begin < most_of_run && view.leaf(x0 + end * dx, y) == leaf; ++end) {
      }
      const int points = end - begin;
      double* const u = out + begin;
      for (int k = 0; k < points; ++k) u[k] = 0, weights[k] = 0;
      for (int j = view.leaf_begin[leaf]; j < view.leaf_begin[leaf + 1]; ++j) {
        const Patch& p = view.patches[view.leaf_patches[j]];
        const double ty = (y - p.y) / p.half, along_y = hat(ty);
        if (along_y == 0) continue;
        double vy[most_powers], c[most_powers] = {};
        polynomial_values(view.basis, p.degree, ty, vy);
        add_row(p, 1, vy, c);
        for (int k = 0; k < points; ++k) t[k] = (x0 + (begin + k) * dx - p.x) / p.half;
        polynomials_of(c, t, points, of_patch);
        for (int k = 0; k < points; ++k) {
          const double w = hat(t[k]) * along_y;
          weights[k] += w, u[k] += w * of_patch[k];
        }
      }
      for (int k = 0; k < points; ++k) u[k] /= weights[k];
    }
  }

  // To the coefficients of a polynomial in x: those of a patch's in a row, whose polynomials in y have these values.
  void add_row(const Patch& p, double weight, const double* vy, double* c) const {
    const double* of = coefficients + p.first;
    for (int total = 0, k = 0; total <= p.degree; ++total)
      for (int b = 0; b <= total; ++b, ++k) c[total - b] += weight * vy[b] * of[k];
  }

  // The sum of c[a]·P_a(t) at many t, one degree after the other over all of them.
  void polynomials_of(const double* c, const double* t, int count, double* sum) const {
    double powers[3][most_of_run];
    for (int k = 0; k < count; ++k) powers[0][k] = 1, powers[1][k] = t[k], sum[k] = c[0] + c[1] * t[k];
    for (int a = 2; a <= view.highest_degree; ++a) {
      const double *before = powers[(a + 1) % 3], *last = powers[(a + 2) % 3];
      double* const now = powers[a % 3];
      if (view.basis == Basis::legendre) {
        for (int k = 0; k < count; ++k) now[k] = ((2 * a - 1) * t[k] * last[k] - (a - 1) * before[k]) / a;
      } else {
        for (int k = 0; k < count; ++k) now[k] = last[k] * t[k];
      }
      for (int k = 0; k < count; ++k) sum[k] += c[a] * now[k];
    }
  }
};

}  // namespace perturb::membrane
