// Solutions from a sparse factorisation on the host, for small systems whose iteration does not converge.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/membrane/model/cover.h"

namespace perturb::membrane {

// S x = b for S = A + shift·B, or with a coupling for the pair ((S, -coupling B), (-coupling B, -S)), which is
// symmetric too. The factors are L D Lᵀ of the matrix with its diagonal scaled to 1 and enlarged by a few roundings. So
// functions that depend on others to rounding get a finite part of the solution. Iterative refinement removes the error
// that this causes elsewhere.
class Factorization {
 public:
  Factorization();
  ~Factorization();
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;

  // Whether a system takes well under a second.
  static bool fits(const Structure& structure, bool pair);
  // `a` and `b` as in the structure; `b` may be empty without a shift and a coupling.
  void compute(const Structure& structure, const std::vector<double>& a, const std::vector<double>& b, double shift,
               double coupling, bool pair);
  // Replaces the load by the solution, and returns its backward error: the largest component of the residual, relative
  // to that of |S| |x| + |load|, with the rows scaled. Rounding alone causes about 1e-15.
  double solve(std::vector<double>& load) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// Backward error up to which a solution counts as exact: rounding allows no better residual than this times |S| |x| +
// |load|, however small the tolerance.
constexpr double exact_to_rounding = 1e-12;

}  // namespace perturb::membrane
