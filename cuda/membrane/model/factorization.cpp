#include "cuda/membrane/model/factorization.h"

#include <cmath>
#include <limits>

#include <Eigen/SparseCholesky>

namespace perturb::membrane {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr std::int64_t max_unknowns = 16000, max_values = 1200000;
constexpr double enlarged = 1e-14;  // added to the diagonal, which is scaled to 1
constexpr int max_refinements = 10;

}  // namespace

struct Factorization::Factors {
  Sparse matrix;          // scaled
  Eigen::VectorXd scale;  // of rows and columns
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower> factors;
};

Factorization::Factorization() = default;
Factorization::~Factorization() = default;
Factorization::Factorization(Factorization&&) noexcept = default;
Factorization& Factorization::operator=(Factorization&&) noexcept = default;

bool Factorization::fits(const Structure& s, bool pair) {
  return s.unknowns * (pair ? 2 : 1) <= max_unknowns && s.values * (pair ? 4 : 1) <= max_values;
}

void Factorization::compute(const Structure& s, const std::vector<double>& a, const std::vector<double>& b,
                            double shift, double coupling, bool pair) {
  const auto n = static_cast<Eigen::Index>(s.unknowns), all = pair ? 2 * n : n;
  factors_ = std::make_unique<Factors>();
  Factors& f = *factors_;
  const auto mass = [&](std::size_t at) { return b.empty() ? 0.0 : b[at]; };
  // Each entry of the blocks, with its row and column.
  const auto for_each = [&](const auto& visit) {
    for (std::size_t i = 0; i < s.patches.size(); ++i)
      for (auto block = static_cast<std::size_t>(s.row[i]); block < static_cast<std::size_t>(s.row[i + 1]); ++block) {
        const Patch &p = s.patches[i], &q = s.patches[static_cast<std::size_t>(s.column[block])];
        const int rows = p.functions(), columns = q.functions();
        for (int c = 0; c < columns; ++c)
          for (int r = 0; r < rows; ++r)
            visit(static_cast<Eigen::Index>(p.first + r), static_cast<Eigen::Index>(q.first + c),
                  static_cast<std::size_t>(s.offset[block] + c * rows + r));
      }
  };
  // The diagonal of an indefinite matrix may be near 0: scaled by that of A + |shift| B.
  f.scale.setOnes(all);
  for_each([&](Eigen::Index r, Eigen::Index c, std::size_t at) {
    if (r != c) return;
    const double size = std::abs(a[at]) + std::abs(shift) * mass(at);
    if (size > 0) f.scale[r] = 1 / std::sqrt(size);
    if (pair) f.scale[n + r] = f.scale[r];
  });
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(s.values) * (pair ? 4 : 1));
  for_each([&](Eigen::Index r, Eigen::Index c, std::size_t at) {
    const double scale = f.scale[r] * f.scale[c], own = scale * (a[at] + shift * mass(at));
    entries.emplace_back(r, c, own);
    if (!pair) return;
    const double coupled = -scale * coupling * mass(at);
    entries.emplace_back(n + r, n + c, -own);
    entries.emplace_back(n + r, c, coupled);
    entries.emplace_back(r, n + c, coupled);
  });
  f.matrix.resize(all, all);
  f.matrix.setFromTriplets(entries.begin(), entries.end());
  Sparse larger = f.matrix;
  for (Eigen::Index k = 0; k < all; ++k) larger.coeffRef(k, k) += k < n ? enlarged : -enlarged;
  f.factors.compute(larger);
}

double Factorization::solve(std::vector<double>& load) const {
  const Factors& f = *factors_;
  Eigen::Map<Eigen::VectorXd> to(load.data(), static_cast<Eigen::Index>(load.size()));
  const Eigen::VectorXd right = to.cwiseProduct(f.scale);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(right.size()), best = x, rest = right;
  double error = std::numeric_limits<double>::infinity();
  if (f.factors.info() != Eigen::Success) return error;
  for (int k = 0; k < max_refinements; ++k) {
    x += f.factors.solve(rest);
    rest = right - f.matrix * x;
    Eigen::VectorXd sizes = right.cwiseAbs();
    for (Eigen::Index c = 0; c < f.matrix.outerSize(); ++c)
      for (Sparse::InnerIterator it(f.matrix, c); it; ++it) sizes[it.row()] += std::abs(it.value() * x[c]);
    const double largest = sizes.maxCoeff();
    const double now = largest > 0 ? rest.cwiseAbs().maxCoeff() / largest : 0;
    if (!(now < error)) break;
    const bool slow = now > 0.5 * error;
    error = now;
    best = x;
    if (slow || error == 0) break;
  }
  to = best.cwiseProduct(f.scale);
  return error;
}

}  // namespace perturb::membrane
