// The solver's loops: block-sparse products, relaxation, transfer between levels.
#pragma once

#include "cuda/membrane/model/hierarchy.h"

namespace perturb::membrane {

// y = A x, or y = right - A x if there is a right-hand side.
struct ApplyMatrix {
  SpaceView view;
  Matrix matrix;
  const double* right;
  const double* x;
  double* y;
  const int* list;  // the patches to compute; null: all

  PERTURB_HD void operator()(int task, int n) const {
    const int i = list ? list[task] : task;
    const int functions = view.functions(i);
    if (n >= functions) return;
    double sum = 0;
    for (std::int64_t k = view.row[i]; k < view.row[i + 1]; ++k) {
      const Patch& p = view.patches[view.column[k]];
      const int columns = p.functions();
      const double* a = matrix.a + view.offset[k] + n;
      const double* from = x + p.first;
      if (matrix.b) {
        const double* b = matrix.b + view.offset[k] + n;
        for (int m = 0; m < columns; ++m)
          sum = multiply_add(multiply_add(matrix.shift, b[m * functions], a[m * functions]), from[m], sum);
      } else {
        for (int m = 0; m < columns; ++m) sum = multiply_add(a[m * functions], from[m], sum);
      }
    }
    const std::int64_t at = view.patches[i].first + n;
    y[at] = right ? right[at] - sum : sum;
  }
  void task(int t) const {
    const int i = list ? list[t] : t;
    double sums[max_functions];
    row(i, sums);
    const std::int64_t first = view.patches[i].first;
    const int functions = view.functions(i);
    for (int n = 0; n < functions; ++n) y[first + n] = right ? right[first + n] - sums[n] : sums[n];
  }
  // On the CPU: all sums of a patch together (kernels/cpu.cpp).
  void row(int i, double* sums) const;
};

// block · from on the CPU, column by column.
void times_block(const double* block, int functions, const double* from, double* sums);

// a·b on the CPU, in a fixed order of its sums.
double dot_of_row(const double* a, const double* b, int count);

// x_i += (A_ii)⁻¹ r_i for the listed patches (all if there is no list); with `set`, x_i = that.
struct BlockSolve {
  SpaceView view;
  const double* inverse;  // [patches][most²], column by column
  int block_side;
  const double* rest;
  double* x;
  const int* list;
  bool set;

  PERTURB_HD void operator()(int task, int n) const {
    const int i = list ? list[task] : task, functions = view.functions(i);
    if (n >= functions) return;
    const std::int64_t first = view.patches[i].first;
    const double* block = inverse + static_cast<std::int64_t>(i) * block_side * block_side + n;
    double sum = 0;
    for (int m = 0; m < functions; ++m) sum = multiply_add(block[m * functions], rest[first + m], sum);
    x[first + n] = set ? sum : x[first + n] + sum;
  }
  void task(int t) const {
    const int i = list ? list[t] : t, functions = view.functions(i);
    const std::int64_t first = view.patches[i].first;
    double sums[max_functions];
    times_block(inverse + static_cast<std::int64_t>(i) * block_side * block_side, functions, rest + first, sums);
    for (int n = 0; n < functions; ++n) x[first + n] = set ? sums[n] : x[first + n] + sums[n];
  }
};

// Relaxation of one colour on the CPU: residual and block solution in one pass.
struct RelaxColor {
  ApplyMatrix apply;
  BlockSolve solve;
  double* x;

  PERTURB_HD void operator()(int, int) const {}
  void task(int t) const {
    const int i = apply.list[t], functions = apply.view.functions(i);
    const std::int64_t first = apply.view.patches[i].first;
    double rest[max_functions];
    apply.row(i, rest);
    for (int n = 0; n < functions; ++n) rest[n] = apply.right[first + n] - rest[n];
    const double* block = solve.inverse + static_cast<std::int64_t>(i) * solve.block_side * solve.block_side;
    double sums[max_functions];
    times_block(block, functions, rest, sums);
    for (int n = 0; n < functions; ++n) x[first + n] += sums[n];
  }
};

// Inverts every patch's own block, which is symmetric and positive definite, by Cholesky factorisation.
struct Invert {
  SpaceView view;
  Matrix matrix;
  double* inverse;
  int block_side;

  void task(int i) const { (*this)(i, 0); }
  PERTURB_HD void operator()(int i, int) const {
    const int n = view.functions(i);
    const std::int64_t at = view.offset[view.block(i, i)];
    double l[max_functions * (max_functions + 1) / 2];
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c) {
        double sum = matrix.a[at + c * n + r];
        if (matrix.b) sum += matrix.shift * matrix.b[at + c * n + r];
        const double own = sum;
        for (int k = 0; k < c; ++k) sum -= l[r * (r + 1) / 2 + k] * l[c * (c + 1) / 2 + k];
        if (r == c) {
          // Rounding may cancel a pivot of a badly conditioned basis; a preconditioner need not be exact.
          const double min_pivot = 1e-14 * (own < 0 ? -own : own) + 1e-300;
          l[r * (r + 1) / 2 + r] = sqrt(sum > min_pivot ? sum : min_pivot);
        } else {
          l[r * (r + 1) / 2 + c] = sum / l[c * (c + 1) / 2 + c];
        }
      }
    double* to = inverse + static_cast<std::int64_t>(i) * block_side * block_side;
    double column[max_functions];
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) {
        double sum = r == c ? 1 : 0;
        for (int k = 0; k < r; ++k) sum -= l[r * (r + 1) / 2 + k] * column[k];
        column[r] = sum / l[r * (r + 1) / 2 + r];
      }
      for (int r = n - 1; r >= 0; --r) {
        double sum = column[r];
        for (int k = r + 1; k < n; ++k) sum -= l[k * (k + 1) / 2 + r] * column[k];
        column[r] = sum / l[r * (r + 1) / 2 + r];
      }
      for (int r = 0; r < n; ++r) to[c * n + r] = column[r];
    }
  }
};

// Which child of its parent a patch is: bit 0 to the right, bit 1 up; only_child: the same patch.
constexpr int only_child = 4;

// x += P x_coarse: a patch takes its parent's polynomial, and its part of the singular function if it has that too.
struct Prolong {
  SpaceView fine, coarse;
  const int* family;  // [patches][parent, child]
  const Transfer* transfer;
  const double* from;
  double* to;

  PERTURB_HD void operator()(int i, int n) const {
    if (n >= fine.functions(i)) return;
    const int parent = family[2 * i], child = family[2 * i + 1];
    const Patch& p = coarse.patches[parent];
    double sum = 0;
    if (child == only_child) {
      sum = n < p.functions() ? from[p.first + n] : 0;
    } else if (n == membrane_functions(fine.patches[i].degree)) {
      sum = p.enriched ? from[p.first + membrane_functions(p.degree)] : 0;
    } else {
      const Powers own = membrane_powers(n);
      const auto& x = transfer->value[child & 1];
      const auto& y = transfer->value[child >> 1];
      for (int a = own.a; a <= p.degree; ++a)
        for (int b = own.b; a + b <= p.degree; ++b)
          sum = multiply_add(x[own.a][a] * y[own.b][b], from[p.first + function_of(a, b)], sum);
    }
    to[fine.patches[i].first + n] += sum;
  }
};

// The transpose: right_coarse = Pᵀ residual.
struct Restrict {
  SpaceView fine, coarse;
  const int* children;  // [coarse patches][4]; an only child comes first, the others are -1
  const Transfer* transfer;
  const double* from;
  double* to;

  PERTURB_HD void operator()(int i, int n) const {
    if (n >= coarse.functions(i)) return;
    const Powers own = membrane_powers(n);
    double sum = 0;
    if (children[4 * i + 1] < 0) {
      sum = from[fine.patches[children[4 * i]].first + n];
    } else {
      for (int c = 0; c < 4; ++c) {
        const Patch& p = fine.patches[children[4 * i + c]];
        if (n == membrane_functions(coarse.patches[i].degree)) {
          if (p.enriched) sum += from[p.first + membrane_functions(p.degree)];
          continue;
        }
        if (p.degree < 0) continue;
        const auto& x = transfer->value[c & 1];
        const auto& y = transfer->value[c >> 1];
        for (int a = 0; a <= own.a; ++a)
          for (int b = 0; b <= own.b; ++b)
            sum = multiply_add(x[a][own.a] * y[b][own.b], from[p.first + function_of(a, b)], sum);
      }
    }
    to[coarse.patches[i].first + n] = sum;
  }
};

// to = a u + b v + c w; null vectors are skipped.
struct Combine {
  std::int64_t size;
  double a, b, c;
  const double *u, *v, *w;
  double* to;
  PERTURB_HD void operator()(int i, int j) const {
    const std::int64_t k = static_cast<std::int64_t>(j) * 1024 + i;
    if (k >= size) return;
    double sum = u ? a * u[k] : 0;
    if (v) sum = multiply_add(b, v[k], sum);
    if (w) sum = multiply_add(c, w[k], sum);
    to[k] = sum;
  }
  void row(int begin, int end, int j) const;  // for the CPU
};
struct DotOf {
  std::int64_t size;
  const double *u, *v;
  PERTURB_HD void operator()(int i, int j, Dot& dot) const {
    const std::int64_t k = static_cast<std::int64_t>(j) * 1024 + i;
    if (k < size) dot.sum = multiply_add(u[k], v[k], dot.sum);
  }
};
struct DotsOf {
  std::int64_t size;
  int count;
  VectorPair pairs[max_dots];
  PERTURB_HD void operator()(int i, int j, Dots& dots) const {
    const std::int64_t k = static_cast<std::int64_t>(j) * 1024 + i;
    if (k >= size) return;
    for (int p = 0; p < max_dots; ++p)
      if (p < count) dots.sums[p] = multiply_add(pairs[p].u[k], pairs[p].v[k], dots.sums[p]);
  }
};

// The end of a time step with the middle w: v = (4/dt) (w - u) - v, u = 2 w - u.
struct FinishStep {
  double rate;  // 4/dt
  const double* middle;
  double *u, *v;
  PERTURB_HD void operator()(int k) const {
    v[k] = multiply_add(-1.0, v[k], multiply_add(-rate, u[k], rate * middle[k]));
    u[k] = multiply_add(-1.0, u[k], 2.0 * middle[k]);
  }
};

}  // namespace perturb::membrane
