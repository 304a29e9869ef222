// Covers and forms that several tests use.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/core/math/random.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/integrals.h"
#include "cuda/membrane/model/theory.h"

namespace perturb::membrane {

// Uniform covers, and one with three sizes and all degrees.
inline Cover mixed_cover(int degree = 2) {
  Cover cover(2, degree);
  cover.split(cover.find(0.3, 0.3));
  cover.split(cover.find(0.3, 0.3));
  cover.split(cover.find(0.9, 0.8));
  return cover;
}
inline Cover hp_cover() {
  Cover cover = mixed_cover(1);
  for (int k = 0; k < cover.count(); ++k) cover.change_degree(k, k % 4);
  return cover;
}

inline Parameters sides(Side side) {
  Parameters p;
  p.boundary_left = p.boundary_right = p.boundary_bottom = p.boundary_top = side;
  return p;
}

// Converts a block matrix to a dense one, row-major; for small covers.
inline std::vector<double> dense(const Structure& s, const std::vector<double>& values) {
  const auto n = static_cast<std::size_t>(s.unknowns);
  std::vector<double> full(n * n);
  for (std::size_t i = 0; i < s.patches.size(); ++i)
    for (std::int64_t k = s.row[i]; k < s.row[i + 1]; ++k) {
      const Patch &p = s.patches[i], &q = s.patches[static_cast<std::size_t>(s.column[static_cast<std::size_t>(k)])];
      const int rows = membrane_functions(p.degree), columns = membrane_functions(q.degree);
      for (int m = 0; m < columns; ++m)
        for (int r = 0; r < rows; ++r)
          full[static_cast<std::size_t>(p.first + r) * n + static_cast<std::size_t>(q.first + m)] =
              values[static_cast<std::size_t>(s.offset[static_cast<std::size_t>(k)] + m * rows + r)];
    }
  return full;
}

// Coefficients with which every patch has the same polynomial c0 + c1 x + c2 y + c3 x² + ... of total degree `degree`.
template <class Polynomial>
std::vector<double> interpolate(const Structure& s, Basis basis, const Polynomial& polynomial) {
  std::vector<double> out(static_cast<std::size_t>(s.unknowns));
  const Rule rule = membrane_gauss_rule(max_powers + 2);
  if (basis != Basis::legendre) return out;
  for (const Patch& p : s.patches)
    for (int b = 0; b < rule.count; ++b)
      for (int a = 0; a < rule.count; ++a) {
        double vx[max_powers], vy[max_powers];
        polynomial_values(basis, p.degree, rule.point[a], vx);
        polynomial_values(basis, p.degree, rule.point[b], vy);
        const double value = polynomial(p.x + p.half * rule.point[a], p.y + p.half * rule.point[b]);
        for (int n = 0; n < membrane_functions(p.degree); ++n) {
          const Powers w = membrane_powers(n);
          out[static_cast<std::size_t>(p.first + n)] +=
              0.25 * (2 * w.a + 1) * (2 * w.b + 1) * rule.weight[a] * rule.weight[b] * value * vx[w.a] * vy[w.b];
        }
      }
  return out;
}

inline double uniform_number(std::uint64_t counter) {
  const Random4 r = philox(7, 1, counter);
  return uniform_double(r.v[0], r.v[1]);
}

// A dataset of the saved state.
inline std::vector<double> saved_numbers(const Simulation& membrane, const char* name) {
  const State state = membrane.save();
  return state.get<double>(name, state.datasets.at(name).shape);
}
// The largest difference relative to the largest number.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, away = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k]));
    away = std::max(away, std::abs(a[k] - b[k]));
  }
  return away / most;
}

}  // namespace perturb::membrane
