// The membrane's own modes: K x = lambda M x, the lowest ones by subspace iteration. Each step solves (K + M) y = M x
// for all vectors and applies the Rayleigh-Ritz method to their span. lambda is then a Rayleigh quotient, x·K x over
// x·M x, and its error is the square of the vector's.
//
// Bathe, Wilson, "Solution methods for eigenvalue problems in structural mechanics" (1973).
#pragma once

#include <vector>

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

class Modes {
 public:
  static constexpr int count = max_modes, guards = 4;  // extra vectors that make the last modes converge
  static constexpr int vectors = count + guards;       // fewer if the cover has fewer unknowns
  // Shift of the matrix that is solved: definite for all boundary conditions.
  static constexpr double shift = 1;
  static constexpr double rough = 2e-2;  // residual of a mode from which its value is not shown

  explicit Modes(Backend& backend) : backend_(backend) {}

  // Starts with random vectors if there are none for this number of unknowns. Throws Error if there is not enough
  // memory.
  void make_room(const Discretisation& d);
  // One step, with the preconditioner for K + shift·M; call make_room() first. Returns the result of the worst solve.
  // Throws Stopped and then changes nothing.
  Solved improve(Discretisation& d, const Parameters& p);
  // All at once, from the spectrum of the current matrices, if can_take(); call make_room() first.
  static bool can_take(const Spectrum& spectrum);  // whether its eigenvectors are accurate enough
  Solved take(Discretisation& d, const Parameters& p);
  // Whether the modes that can be shown have converged; after a change of the matrices the iteration restarts from
  // these vectors.
  bool settled() const;
  void invalidate();
  // After a change of the cover: there are none until the next step.
  void clear();
  // Sets the discretisation's solution to mode `number` (1 is the lowest), with the height of sin(m pi x) sin(n pi y);
  // zero if the cover has no such mode.
  void show(Discretisation& d, int number);

  // Whether the mode of this number (1 is the lowest) is computed: a cover has no more modes than unknowns.
  bool has(int number) const { return static_cast<std::size_t>(number) <= values_.size(); }
  // Whether its value is accurate enough to show: to 4e-4 of lambda + shift, the square of the residual.
  bool has_value(int number) const { return has(number) && residuals_[static_cast<std::size_t>(number - 1)] < rough; }
  // By index from 0: -div(grad u) = lambda u; empty before the first step. And the relative residual of each.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& residuals() const { return residuals_; }

  // The vectors, concatenated.
  std::vector<double> download() const { return block_.download(); }
  void take(const std::vector<double>& block, const std::vector<double>& values, const std::vector<double>& residuals);

  static std::size_t bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((2 * vectors + 2) * unknowns) * sizeof(double);
  }

 private:
  void align(Discretisation& d, const Parameters& p);
  // The residual of guess·x, relative to the load M x in the first spare vector, of which y is the solution. Overwrites
  // the spare vectors.
  double residual_of_guess(Discretisation& d, double guess, const double* x, const double* y);

  Backend& backend_;
  std::size_t size_ = 0;  // number of vectors
  Array<double> block_, next_, spare_;
  std::vector<double> values_, residuals_;
};

// All x of h x = lambda g x for small dense symmetric matrices (row-major, n x n), g definite: values in increasing
// order, and the vectors as columns, x·g x = 1. By Cholesky factorisation and Jacobi rotations. For tests too.
void dense_modes(std::vector<double> h, std::vector<double> g, int n, std::vector<double>& values,
                 std::vector<double>& columns);

}  // namespace perturb::membrane
