#include "cuda/core/math/gauss_rule.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

TEST(GaussRule, IsExactToItsDegreeAndNoFurther) {
  for (const int count : {1, 2, 3, 4, 5, 8, 13, 16, 31, 64}) {
    std::vector<double> points(count), weights(count);
    gauss_rule(points, weights);
    const auto off_by = [&](int power) {
      double sum = 0;
      for (int k = 0; k < count; ++k) sum += weights[k] * std::pow(points[k], power);
      return sum - (power % 2 == 1 ? 0 : 2.0 / (power + 1));
    };
    for (int power = 0; power < 2 * count; ++power) EXPECT_NEAR(off_by(power), 0, 1e-14) << count << ' ' << power;
    if (count <= 16) {
      EXPECT_GT(std::abs(off_by(2 * count)), 1e-11) << count;
    }
  }
}

TEST(GaussRule, NodesAscendAndAreSymmetric) {
  for (int count = 1; count <= 64; ++count) {
    std::vector<double> points(count), weights(count);
    gauss_rule(points, weights);
    for (int k = 0; k + 1 < count; ++k) EXPECT_LT(points[k], points[k + 1]);
    if (count % 2 == 1) {
      EXPECT_EQ(points[count / 2], 0);
    }
  }
}

}  // namespace
}  // namespace perturb
