// The membrane's own modes: K x = lambda M x, the lowest ones by subspace iteration. Each step solves (K + M) y = M x
// for all vectors and takes from their span what Rayleigh and Ritz say; lambda is then a Rayleigh quotient, x·K x
// over x·M x, and its error the square of the vector's.
//
// Bathe, Wilson, "Solution methods for eigenvalue problems in structural mechanics" (1973).
#pragma once

#include <vector>

#include "cuda/membrane/model/discretisation.h"

namespace perturb::membrane {

class Modes {
 public:
  static constexpr int count = max_modes, guards = 4;  // guards make the last ones converge
  static constexpr int vectors = count + guards;       // where the cover has so many unknowns
  // The shift of the matrix that is solved with: definite for all sides.
  static constexpr double shift = 1;

  explicit Modes(Backend& backend) : backend_(backend) {}

  // Random vectors, where the cover is another one. Throws Error when memory is short.
  void make_room(const Discretisation& d);
  // One step, whose preconditioner is for K + shift·M; after make_room(). Says how the worst of its
  // solves went. Throws Stopped, and then nothing has changed.
  Solved improve(Discretisation& d, const Parameters& p);
  // Whether the modes that can be shown have converged; other matrices begin again from these vectors.
  bool settled() const;
  void invalidate();
  // Lets the discretisation's solution be mode `number` (1 is the lowest), as high as sin(m pi x) sin(n pi y); flat
  // where the cover has no such mode.
  void show(Discretisation& d, int number);

  // Whether the mode of this number (1 is the lowest) has been looked for: a cover has no more than it has unknowns.
  bool has(int number) const { return static_cast<std::size_t>(number) <= values_.size(); }
  // By number from 0: -div(grad u) = lambda u; empty before the first step. And how far each is from one, as a share.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& residuals() const { return residuals_; }

  // The vectors, one after the other.
  std::vector<double> download() const { return block_.download(); }
  void take(const std::vector<double>& block, const std::vector<double>& values, const std::vector<double>& residuals);

  static std::size_t bytes(std::int64_t unknowns) {
    return static_cast<std::size_t>((2 * vectors + 2) * unknowns) * sizeof(double);
  }

 private:
  void align(Discretisation& d, const Parameters& p);

  Backend& backend_;
  std::size_t size_ = 0;  // vectors
  Array<double> block_, next_, spare_;
  std::vector<double> values_, residuals_;
};

// All x of h x = lambda g x for small dense symmetric matrices (row-major, n x n), g definite: values in rising order,
// and the vectors as columns, x·g x = 1. By Cholesky's factors and Jacobi's rotations. For tests too.
void dense_modes(std::vector<double> h, std::vector<double> g, int n, std::vector<double>& values,
                 std::vector<double>& columns);

}  // namespace perturb::membrane
