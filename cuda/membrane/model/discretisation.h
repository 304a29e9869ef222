// A cover with everything computed on it: the matrices, the load, the solution and the solver. The solution is the
// field u = sum of phi_i times patch i's polynomial, anywhere in the square.
#pragma once

#include <memory>

#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/model/solver.h"

namespace perturb::membrane {

struct FieldValue {
  double u = 0, x = 0, y = 0;  // value and gradient
};

struct SolutionField {
  SpaceView view;
  const double* coefficients;

  // A patch's polynomial and singular function.
  PERTURB_HD double of_patch(int patch, double x, double y) const {
    const Patch& p = view.patches[patch];
    double vx[max_powers], vy[max_powers];
    polynomial_values(view.basis, p.degree, (x - p.x) / p.half, vx);
    polynomial_values(view.basis, p.degree, (y - p.y) / p.half, vy);
    const double* c = coefficients + p.first;
    double sum = 0;
    for (int total = 0, n = 0; total <= p.degree; ++total)
      for (int b = 0; b <= total; ++b, ++n) sum = multiply_add(c[n], vx[total - b] * vy[b], sum);
    if (p.enriched) sum = multiply_add(c[membrane_functions(p.degree)], view.domain.singular(x, y).value, sum);
    return sum;
  }
  // The point must lie in the square; outside of the domain the value is 0.
  PERTURB_HD double value(double x, double y) const {
    int list[max_patches_over_point];
    const int over = view.patches_over(x, y, list);
    if (over == 1) return of_patch(list[0], x, y);
    double sum = 0, weights = 0;
    for (int k = 0; k < over; ++k) {
      const Patch& p = view.patches[list[k]];
      const double w = hat((x - p.x) / p.half) * hat((y - p.y) / p.half);
      weights += w;
      sum = multiply_add(w, of_patch(list[k], x, y), sum);
    }
    return over > 0 ? sum / weights : 0;
  }
  // In a cell, whose patches are known.
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
      view.shapes(p, x, y, w, k, s);
      const int functions = p.functions();
      for (int n = 0; n < functions; ++n) {
        const double by = coefficients[p.first + n];
        sum.u += by * s.value[n];
        sum.x += by * s.x[n];
        sum.y += by * s.y[n];
      }
    }
    return sum;
  }

  // On the CPU: values at `count` points (x0 + i·dx, y), all of them in the square. Along a row each patch contributes
  // a polynomial in x alone, which is computed once. Points under the same patches are evaluated together, as vectors.
  void row(double y, double x0, double dx, int count, double* out) const {
    double t[max_of_run], of_patch[max_of_run], weights[max_of_run];
    int leaves[max_of_run];
    ColumnOfUniform columns[2];
    for (int begin = 0, end; begin < count; begin = end) {
      if (begin % max_of_run == 0)
        for (int k = 0; k < max_of_run && begin + k < count; ++k) leaves[k] = patches_under(x0 + (begin + k) * dx, y);
      const int here = leaves[begin % max_of_run];
      end = begin + 1;
      while (end < count && end % max_of_run != 0 && leaves[end % max_of_run] == here) ++end;
      double* const u = out + begin;
      const auto add_patch = [&](const Patch& p, const double* c, double* to) {
        const double per_half = 1 / p.half;
        for (int k = 0; k < end - begin; ++k) t[k] = (x0 + (begin + k) * dx - p.x) * per_half;
        polynomials_of(c, t, end - begin, to);
      };
      const auto add = [&](const Patch& p, double weight, const double* c) {
        add_patch(p, c, of_patch);
        for (int k = 0; k < end - begin; ++k) {
          const double w = hat(t[k]);
          weights[k] += w * weight;
          u[k] += w * of_patch[k];
        }
      };
      const int i = here / 3, beside = i + here % 3 - 1;  // columns of a uniform cover
      if (view.uniform && beside == i) {                  // a single patch has weight 1
        add_patch(view.patches[i], column(i, y, columns[i & 1]), u);
        continue;
      }
      for (int k = 0; k < end - begin; ++k) {
        u[k] = 0;
        weights[k] = 0;
      }
      if (view.uniform) {
        for (const int c : {i, beside}) add(view.patches[c], 1, column(c, y, columns[c & 1]));
      } else {
        for (int k = view.leaf_begin[here]; k < view.leaf_begin[here + 1]; ++k) {
          const Patch& p = view.patches[view.leaf_patches[k]];
          double c[max_powers] = {};
          const double weight = add_row(p, y, c);
          if (!(weight > 0)) continue;
          add(p, weight, c);
          if (!p.enriched) continue;
          const double by = weight * coefficients[p.first + membrane_functions(p.degree)];
          for (int j = 0; j < end - begin; ++j)
            u[j] += by * hat(t[j]) * view.domain.singular(x0 + (begin + j) * dx, y).value;
        }
        if (view.leaf_begin[here] == view.leaf_begin[here + 1]) continue;  // outside of the domain
      }
      for (int k = 0; k < end - begin; ++k) u[k] /= weights[k];
    }
  }

 private:
  static constexpr int max_of_run = 128;

  // Id of the set of patches over a point of a row. In a uniform cover: three times the index of its column, plus 0 if
  // the previous column reaches the point, 1 if no other does, 2 if the next one does.
  int patches_under(double x, double y) const {
    if (!view.uniform) return view.leaf(x, y);
    const double reach = 0.5 * (view.overlap - 1);
    const int i = view.along(x);
    const double tx = x * view.per_side - i;
    return 3 * i + (tx < reach && i > 0 ? 0 : tx > 1 - reach && i < view.per_side - 1 ? 2 : 1);
  }

  // Contribution of a uniform cover's column of patches along a row, by powers of x.
  struct ColumnOfUniform {
    int i = -1;
    double c[max_powers];
  };
  const double* column(int i, double y, ColumnOfUniform& known) const {
    if (known.i == i) return known.c;
    known.i = i;
    for (double& c : known.c) c = 0;
    const int n = view.per_side, j = view.along(y);
    double sum = 0;
    for (int row = j > 0 ? j - 1 : j; row <= j + 1 && row < n; ++row)
      sum += add_row(view.patches[row * n + i], y, known.c);
    for (double& c : known.c) c /= sum;
    return known.c;
  }

  // Adds the polynomial in x of a patch along a row to the coefficients c, times its weight there, which it returns.
  double add_row(const Patch& p, double y, double* c) const {
    const double ty = (y - p.y) / p.half, weight = hat(ty);
    if (weight == 0) return 0;
    double vy[max_powers];
    polynomial_values(view.basis, p.degree, ty, vy);
    const double* of = coefficients + p.first;
    for (int total = 0, k = 0; total <= p.degree; ++total)
      for (int b = 0; b <= total; ++b, ++k) c[total - b] += weight * vy[b] * of[k];
    return weight;
  }

  // The sum of c[a]·P_a(t) at many t, one degree after the other for all of them.
  void polynomials_of(const double* c, const double* t, int count, double* sum) const {
    double powers[3][max_of_run];
    for (int k = 0; k < count; ++k) {
      powers[0][k] = 1;
      powers[1][k] = t[k];
      sum[k] = c[0] + c[1] * t[k];
    }
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

// The error of a known solution over one cell of the cover.
struct CellError {
  double value2 = 0, slope2 = 0;  // integrals of |u - u0|² and |grad u - grad u0|²
};

class Discretisation {
 public:
  // Throws Error if there is not enough memory.
  Discretisation(Backend& backend, const Cover& cover, const Parameters& parameters);
  Discretisation(const Discretisation&) = delete;
  Discretisation& operator=(const Discretisation&) = delete;

  // Bytes for this cover, and for 2^level patches per direction without creating them.
  static std::size_t bytes(const Cover& cover, double overlap, const Domain& domain);
  static std::size_t uniform_bytes(int level, int degree);

  const Cover& cover() const { return cover_; }
  const Structure& structure() const { return structure_; }
  const Space& space() const { return space_; }
  Solver& solver() { return solver_; }
  Matrix matrix(double shift) const { return {stiffness_.data(), mass_.data(), shift}; }
  Matrix mass_matrix() const { return {mass_.data(), nullptr, 0}; }
  const Array<double>& stiffness() const { return stiffness_; }
  const Array<double>& mass() const { return mass_; }
  const Array<double>& load() const { return load_; }
  Array<double>& solution() { return solution_; }
  const Array<double>& solution() const { return solution_; }
  // Allocates the velocity of a membrane that moves in time; empty before.
  void enable_time_stepping();
  bool moves() const { return !velocity_.empty(); }
  static constexpr int spare_vectors = 3;  // see scratch()
  Array<double>& velocity() { return velocity_; }
  const Array<double>& velocity() const { return velocity_; }
  // Allocates the quadrature component of a damped steady response, u cos(k t) - quadrature sin(k t); empty before.
  void enable_quadrature();
  bool has_quadrature() const { return !quadrature_.empty(); }
  Array<double>& quadrature() { return quadrature_; }
  const Array<double>& quadrature() const { return quadrature_; }
  static std::size_t quadrature_bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((4 + Solver::pair_vectors + spare_vectors) * unknowns) * sizeof(double);
  }
  // The displacement at a phase k t: u cos(phase) - quadrature sin(phase), queued into its own vector.
  SolutionField field_at(double phase);
  SolutionField field() const { return {space_.view(), solution_.data()}; }
  void set_basis(Basis basis) { space_.set_basis(basis); }

  // Computes the integrals, queued. The matrices do not depend on sigma or the frequency.
  void assemble(Kernel kernel, const Form& form, bool matrices, bool load);
  // Computes only the form's load, into a vector of the caller.
  void assemble_load(Kernel kernel, const Form& form, double* to);
  // Solves (K + shift·M) u = F, starting from the current solution, which is restored if the solver does not converge.
  Solved solve(double shift, bool definite, const SolveOptions& options);
  // The same for (K + shift·M + i coupling M)(u + i quadrature) = F.
  Solved solve_complex(double shift, double coupling, const SolveOptions& options);
  // All eigenpairs of the current matrices, for direct solutions: call compute_spectrum() after each assembly.
  Spectrum& spectrum() { return spectrum_; }
  const Spectrum& spectrum() const { return spectrum_; }
  void compute_spectrum(bool mirror_x, bool mirror_y) {
    spectrum_.compute(structure_, stiffness_.data(), mass_.data(), mirror_x, mirror_y);
  }
  // Product of load and solution, and the square root of the integral of u².
  double work();
  double mean();
  // A vector for products, of the caller until the next call of product_of(). Number 0; after enable_time_stepping() or
  // enable_quadrature() also 1 to 3.
  double* scratch(int which);
  // x·(A x).
  double product_of(const Matrix& matrix, const double* x);
  // Integrates the error over each cell of the cover; waits. The values per cell are kept for the image.
  CellError error(const Known& known, int points);
  const CellError* errors() const { return errors_.data(); }

  // Takes the solution of another cover as the first guess, and its velocity.
  void guess_from(const Discretisation& other);

 private:
  void enable_scratch();
  // Converts coefficients of another cover to this one.
  std::vector<double> taken_from(const Discretisation& other, const std::vector<double>& old) const;

  Backend& backend_;
  Cover cover_;
  Structure structure_;
  Space space_;
  Array<double> stiffness_, mass_, load_, solution_, kept_, product_, velocity_, quadrature_, pair_, moment_,
      spare_products_;
  Array<CellError> errors_;
  Assembler assembler_;
  Solver solver_;
  Spectrum spectrum_;
};

Form membrane_form(const Parameters& p, int highest_degree);

}  // namespace perturb::membrane
