// All eigenvectors of a small dense pair of symmetric matrices, on the host.
#pragma once

#include <vector>

namespace perturb::membrane {

// x of K x = lambda M x, with x·M x = 1.
struct Eigenpairs {
  bool complete = false;        // false: M is not definite to rounding, or the iteration failed; the rest is empty
  std::vector<double> values;   // lambda, increasing
  std::vector<double> vectors;  // one after the other
  // Rounding errors, in the norm of (K + M)⁻¹. With R = K V - M V Lambda and G = Vᵀ M V: for each vector the square of
  // R's column relative to that of M x, and the square of the Frobenius norm of I - G.
  std::vector<double> errors;
  double defect = 0;
};

// `stiffness` and `mass`: size x size, symmetric; K + M must be definite. About 25 size³ operations in one thread.
Eigenpairs membrane_eigenpairs(int size, const std::vector<double>& stiffness, const std::vector<double>& mass);

}  // namespace perturb::membrane
