// Compares the CPU's evaluation of the solution along a row of points with its value at each of them.

#include <gtest/gtest.h>

#include "tests/membrane/membrane_cases.h"

namespace perturb::membrane {
namespace {

TEST(MembraneField, ARowHasTheValuesOfItsPoints) {
  const auto cpu = Backend::make_cpu(1);
  for (const Cover& cover : {Cover(0, 1), Cover(1, 2), Cover(4, 5), mixed_cover(), hp_cover()})
    for (const double overlap : {1.001, 1.3, 1.9})
      for (const Basis basis : {Basis::legendre, Basis::monomial}) {
        const Structure structure(cover, overlap);
        Space space(*cpu, structure);
        space.set_basis(basis);
        std::vector<double> coefficients(static_cast<std::size_t>(structure.unknowns));
        for (std::size_t k = 0; k < coefficients.size(); ++k) coefficients[k] = uniform_number(k) - 0.5;
        const SolutionField field{space.view(), coefficients.data()};
        for (std::uint64_t k = 0; k < 40; ++k) {
          // Rows that start anywhere, with more points than one run has, densely spaced as at a high zoom or far apart.
          const double y = uniform_number(3 * k), x0 = 0.9 * uniform_number(3 * k + 1);
          const int count = 1 + static_cast<int>(300 * uniform_number(3 * k + 2));
          const double dx = k % 4 == 0 ? 1e-6 : (1 - x0) / (count + 1);
          std::vector<double> row(static_cast<std::size_t>(count));
          field.row(y, x0, dx, count, row.data());
          for (int i = 0; i < count; ++i)
            ASSERT_NEAR(row[static_cast<std::size_t>(i)], field.value(x0 + i * dx, y), 1e-12)
                << "point " << i << " from " << x0 << " by " << dx << " at y = " << y << ", overlap " << overlap;
        }
      }
}

}  // namespace
}  // namespace perturb::membrane
