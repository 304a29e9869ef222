// Solves (K + shift·M) u = F: conjugate gradients if the matrix is definite, otherwise MINRES, each preconditioned by
// model/hierarchy.h. If the iteration does not converge, the matrix of a small system is factored instead.
//
// Hestenes, Stiefel (1952); Paige, Saunders, "Solution of sparse indefinite systems of linear equations" (1975).
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "cuda/membrane/model/algebra.h"
#include "cuda/membrane/model/factorization.h"
#include "cuda/membrane/model/hierarchy.h"
#include "cuda/membrane/model/spectrum.h"

namespace perturb::membrane {

struct Solved {
  bool converged = true;
  int iterations = 0;
  double residual = 0;          // in the preconditioner's norm, relative to the load's
  std::vector<double> history;  // the residual by iteration
  bool minres = false;
  bool direct = false;    // from the spectrum: no iterations, and the residual is an upper bound
  bool factored = false;  // after the iteration failed; the residual is the backward error
  double tolerance = 0;   // requested residual, if not that of the parameters
};

struct SolveOptions {
  Preconditioner preconditioner = Preconditioner::multilevel;
  double tolerance = 1e-8;
  int max_iterations = 1000;
  bool may_factor = false;  // the matrix, if the iteration does not converge
};

// u + i q = (K + shift·M + i coupling·M)⁻¹ load from the spectrum, which must be usable.
Solved solve_directly(Spectrum& spectrum, double shift, double coupling, const double* load, double* u, double* q);

class Solver {
 public:
  // For this cover. `finest` and `space` belong to it and must outlive this object. Throws Error if there is not enough
  // memory.
  Solver(Backend& backend, const Cover& cover, const Structure& finest, const Space& space);
  // Bytes for this cover, and for a uniform one without creating it.
  static std::size_t bytes(const Cover& cover, const Structure& finest);
  static std::size_t uniform_bytes(int level, int degree);

  // Prepares the preconditioner for changed matrices. Ignores the form's load.
  void prepare(const Matrix& matrix, const Form& form, Preconditioner preconditioner) {
    hierarchy_.prepare(matrix, form, preconditioner);
  }
  // Whether an iteration that may be replaced has failed for these matrices. Later solves then omit it. The caller
  // resets this with other matrices or parameters of the solver, and stores it with a run, whose result depends on it.
  bool factors() const { return factors_; }
  void set_factors(bool factors) { factors_ = factors; }
  // Call when the numbers of the matrices may have changed.
  void forget_factorizations() { kept_.clear(); }

  // Improves `u` until its residual is small. The result states whether that succeeded.
  Solved solve(const Matrix& matrix, bool definite, const double* load, double* u, const SolveOptions& options);

  // Improves the pair (u, q) with the quadrature q, stored one after the other, of (K + shift·M + i c M)(u + i q) = F,
  // `coupling` being c. Uses MINRES for the real system ((A, -c M), (-c M, -A)), which is symmetric, with the
  // preconditioner for both halves. `work`: pair_vectors vectors as long as u.
  Solved solve_pair(const Matrix& matrix, const Matrix& mass, double coupling, const double* load, double* pair,
                    double* work, const SolveOptions& options);
  static constexpr int pair_vectors = 19;

  // y = A x, and y = P⁻¹ x with the preconditioner.
  void apply(const Matrix& matrix, const double* x, double* y) { product(matrix, nullptr, x, y); }
  void precondition(Preconditioner kind, const double* x, double* y) { hierarchy_.precondition(kind, x, y); }
  double dot(const double* x, const double* y) { return vectors_.dot(unknowns_, x, y); }
  std::array<double, max_dots> dots(std::initializer_list<VectorPair> pairs) { return vectors_.dots(unknowns_, pairs); }
  // to = a u + b v + c w; v and w may be null.
  void combine(double a, const double* u, double b, const double* v, double c, const double* w, double* to) {
    vectors_.combine(unknowns_, a, u, b, v, c, w, to);
  }
  int levels() const { return hierarchy_.levels(); }

 private:
  // y = right - A x, or A x.
  void product(const Matrix& matrix, const double* right, const double* x, double* y) {
    membrane_apply(backend_, space_, matrix, right, x, y);
  }
  Solved solve_definite(const Matrix& matrix, const double* load, double* u, const SolveOptions& options);
  // The system that MINRES solves: a matrix, or a pair of matrices with a coupling.
  struct System {
    Matrix matrix, mass;
    double coupling = 0;
    bool pair = false;
    double* spare = nullptr;  // for a pair: one vector
  };
  // y = S x, or right - S x; and the preconditioner of S.
  void apply_system(const System& system, const double* right, const double* x, double* y);
  void precondition_system(const System& system, Preconditioner kind, const double* x, double* y);
  Solved minres(const System& system, const double* load, double* u, double* work, const SolveOptions& options);
  // The result of this iteration, or of a factorisation if that fails or has failed.
  template <class Iterate>
  Solved solve_or_factor(const System& system, const double* load, double* u, const SolveOptions& options,
                         const Iterate& iterate);
  Solved solve_factored(const System& system, const double* load, double* u);
  // A time step and a strike have different matrices.
  struct Kept {
    Matrix matrix;
    double coupling = 0;
    bool pair = false;
    Factorization factorization;
  };
  static constexpr std::size_t max_kept = 2;

  Backend& backend_;
  const Structure& structure_;
  const Space& space_;
  std::int64_t unknowns_;
  Array<double> work_;
  Vectors vectors_;
  Hierarchy hierarchy_;
  bool factors_ = false;
  std::vector<Kept> kept_;  // the last one used comes last
};

}  // namespace perturb::membrane
