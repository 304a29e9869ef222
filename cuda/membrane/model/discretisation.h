// A cover with everything computed on it: the matrices, the load, the solution and the solver.
#pragma once

#include <memory>

#include "cuda/membrane/model/field.h"
#include "cuda/membrane/model/solver.h"

namespace perturb::membrane {

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
  static std::size_t bytes(const Cover& cover, double overlap);
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
  Array<double>& velocity() { return velocity_; }
  const Array<double>& velocity() const { return velocity_; }
  // Allocates the quadrature component of a damped steady response, u cos(k t) - quadrature sin(k t); empty before.
  void enable_quadrature();
  bool has_quadrature() const { return !quadrature_.empty(); }
  Array<double>& quadrature() { return quadrature_; }
  const Array<double>& quadrature() const { return quadrature_; }
  static std::size_t quadrature_bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((4 + Solver::pair_vectors) * unknowns) * sizeof(double);
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
  // Product of load and solution, and the square root of the integral of u².
  double work();
  double mean();
  // x·(A x).
  double product_of(const Matrix& matrix, const double* x);
  // Integrates the error over each cell of the cover; waits. The values per cell are kept for the image.
  CellError error(const Known& known, int points);
  const CellError* errors() const { return errors_.data(); }

  // Takes the solution of another cover as the first guess, and its velocity.
  void guess_from(const Discretisation& other);

 private:
  // Converts coefficients of another cover to this one.
  std::vector<double> taken_from(const Discretisation& other, const std::vector<double>& old) const;

  Backend& backend_;
  Cover cover_;
  Structure structure_;
  Space space_;
  Array<double> stiffness_, mass_, load_, solution_, kept_, product_, velocity_, quadrature_, pair_, moment_;
  Array<CellError> errors_;
  Assembler assembler_;
  Solver solver_;
};

Form membrane_form(const Parameters& p, int highest_degree);

}  // namespace perturb::membrane
