// A cover with everything that is computed on it: the matrices, the load, the solution and the solver.
#pragma once

#include <memory>

#include "cuda/membrane/membrane_field.h"
#include "cuda/membrane/membrane_solver.h"

namespace perturb::membrane {

// The error of a solution that is known, over one cell of the cover.
struct MembraneError {
  double value2 = 0, slope2 = 0;  // integrals of |u - u0|² and |grad u - grad u0|²
};

class MembraneDiscretisation {
 public:
  // Throws Error when memory is short.
  MembraneDiscretisation(Backend& backend, const MembraneCover& cover, const MembraneParameters& parameters);
  MembraneDiscretisation(const MembraneDiscretisation&) = delete;
  MembraneDiscretisation& operator=(const MembraneDiscretisation&) = delete;

  // Bytes for this cover, and for 2^level patches a direction without making them.
  static std::size_t bytes(const MembraneCover& cover, double overlap);
  static std::size_t uniform_bytes(int level, int degree);

  const MembraneCover& cover() const { return cover_; }
  const MembraneStructure& structure() const { return structure_; }
  const MembraneSpace& space() const { return space_; }
  MembraneSolver& solver() { return solver_; }
  MembraneMatrix matrix(double shift) const { return {stiffness_.data(), mass_.data(), shift}; }
  MembraneMatrix mass_matrix() const { return {mass_.data(), nullptr, 0}; }
  const Array<double>& stiffness() const { return stiffness_; }
  const Array<double>& mass() const { return mass_; }
  const Array<double>& load() const { return load_; }
  Array<double>& solution() { return solution_; }
  const Array<double>& solution() const { return solution_; }
  // Of a membrane that moves in time; empty before.
  void let_it_move();
  bool moves() const { return !velocity_.empty(); }
  Array<double>& velocity() { return velocity_; }
  const Array<double>& velocity() const { return velocity_; }
  // Of a steady swing that lags behind its load, u cos(k t) - lag sin(k t); empty before.
  void let_it_lag();
  bool lags() const { return !lag_.empty(); }
  Array<double>& lag() { return lag_; }
  const Array<double>& lag() const { return lag_; }
  static std::size_t lag_bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((4 + MembraneSolver::pair_vectors) * unknowns) * sizeof(double);
  }
  // The swing at a phase k t: u cos(phase) - lag sin(phase), queued into a vector of its own.
  MembraneField field_at(double phase);
  MembraneField field() const { return {space_.view(), solution_.data()}; }
  void set_basis(MembraneBasis basis) { space_.set_basis(basis); }

  // The integrals, queued. The matrices do not depend on sigma or the frequency.
  void assemble(MembraneKernel kernel, const MembraneForm& form, bool matrices, bool load);
  // The form's load alone, into a vector of the caller's.
  void assemble_load(MembraneKernel kernel, const MembraneForm& form, double* to);
  // Solves (K + shift·M) u = F from the solution that is there, which comes back when it does not converge.
  MembraneSolved solve(double shift, bool definite, const MembraneSolveOptions& options);
  // The same of (K + shift·M + i coupling M)(u + i lag) = F.
  MembraneSolved solve_lagging(double shift, double coupling, const MembraneSolveOptions& options);
  // Load·solution, and the square root of the integral of u².
  double work();
  double mean();
  // x·(A x).
  double product_of(const MembraneMatrix& matrix, const double* x);
  // Integrates the error over each cell of the cover; waits. The cells' numbers stay for the picture.
  MembraneError error(const MembraneKnown& known, int points);
  const MembraneError* errors() const { return errors_.data(); }

  // Takes another cover's solution as the first guess, and its velocity.
  void guess_from(const MembraneDiscretisation& other);

 private:
  // Coefficients of another cover as this one's.
  std::vector<double> taken_from(const MembraneDiscretisation& other, const std::vector<double>& old) const;

  Backend& backend_;
  MembraneCover cover_;
  MembraneStructure structure_;
  MembraneSpace space_;
  Array<double> stiffness_, mass_, load_, solution_, kept_, product_, velocity_, lag_, pair_, moment_;
  Array<MembraneError> errors_;
  MembraneAssembler assembler_;
  MembraneSolver solver_;
};

MembraneForm membrane_form(const MembraneParameters& p, int highest_degree);

}  // namespace perturb::membrane
