#include "cuda/membrane/model/eigenpairs.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace perturb::membrane {

Eigenpairs membrane_eigenpairs(int size, const std::vector<double>& stiffness, const std::vector<double>& mass) {
  using Matrix = Eigen::MatrixXd;
  const Eigen::Map<const Matrix> k(stiffness.data(), size, size), m(mass.data(), size, size);
  Eigenpairs pairs;
  // The solver of pairs does not report a mass matrix that is not definite.
  const Eigen::LLT<Matrix> factor(m);
  if (factor.info() != Eigen::Success) return pairs;
  // L⁻¹ K L⁻ᵀ y = lambda y with M = L Lᵀ, then x = L⁻ᵀ y.
  Matrix reduced = factor.matrixL().solve(k);
  reduced = factor.matrixL().solve(reduced.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(reduced);
  if (solver.info() != Eigen::Success) return pairs;
  const Matrix v = factor.matrixU().solve(solver.eigenvectors());

  const Matrix mass_v = m * v;
  const Matrix gram = v.transpose() * mass_v;
  Matrix rest = v.transpose() * (k * v);
  pairs.values.resize(static_cast<std::size_t>(size));
  for (int j = 0; j < size; ++j) pairs.values[static_cast<std::size_t>(j)] = rest(j, j) / gram(j, j);
  const Eigen::Map<const Eigen::VectorXd> values(pairs.values.data(), size);
  if (!values.allFinite() || !(values.minCoeff() > -1)) return {};
  rest -= gram * values.asDiagonal();
  const Eigen::ArrayXd above = 1 + values.array();  // (K + M) in the coordinates of V
  pairs.errors.resize(static_cast<std::size_t>(size));
  for (int j = 0; j < size; ++j) {
    pairs.errors[static_cast<std::size_t>(j)] = (rest.col(j).array().square() / above).sum() * above(j);
    for (int i = 0; i < size; ++i) {
      const double off = gram(i, j) - (i == j ? 1 : 0);
      pairs.defect += off * off * above(j) / above(i);
    }
  }
  pairs.vectors.assign(v.data(), v.data() + v.size());
  pairs.complete = true;
  return pairs;
}

}  // namespace perturb::membrane
