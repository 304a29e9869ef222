#include "cuda/core/math/simd.h"

#include <limits>

#include <gtest/gtest.h>

namespace perturb {
namespace {

template <class Real>
void expect_masks() {
  const Real nothing = 0, tiny = std::numeric_limits<Real>::denorm_min(), large = std::numeric_limits<Real>::infinity();
  for (unsigned wanted = 0; wanted < 256; ++wanted) {
    Real values[8];
    for (int k = 0; k < 8; ++k) {
      const Real size = k % 3 == 0 ? nothing : k % 3 == 1 ? tiny : large;
      values[k] = (wanted >> k & 1u) != 0 ? size : -size;
    }
    EXPECT_EQ(unsigned_mask(values), wanted);
  }
}

TEST(Simd, MaskHoldsSigns) {
  expect_masks<float>();
  expect_masks<double>();
}

TEST(Simd, AppendsWhatIsMarkedInOrder) {
  for (unsigned mask = 0; mask < 256; ++mask) {
    int list[10];
    for (int& entry : list) entry = -7;
    const int count = append_marked(mask, 100, list + 1);
    int expected = 0;
    for (int k = 0; k < 8; ++k) {
      if ((mask >> k & 1u) == 0) continue;
      ASSERT_LT(expected, count);
      EXPECT_EQ(list[1 + expected], 100 + k);
      ++expected;
    }
    EXPECT_EQ(count, expected);
    EXPECT_EQ(list[0], -7);
    EXPECT_EQ(list[9], -7);
  }
}

}  // namespace
}  // namespace perturb
