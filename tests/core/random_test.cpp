#include "cuda/core/math/random.h"

#include <gtest/gtest.h>

namespace perturb {
namespace {

// Known answers of the authors' own library (Random123, kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  const Random4 zero = philox(0, 0, 0);
  EXPECT_EQ(zero.v[0], 0x6627e8d5u);
  EXPECT_EQ(zero.v[1], 0xe169c58du);
  EXPECT_EQ(zero.v[2], 0xbc57ac4cu);
  EXPECT_EQ(zero.v[3], 0x9b00dbd8u);
  const Random4 ones = philox(~0ull, ~0ull, ~0ull);
  EXPECT_EQ(ones.v[0], 0x408f276du);
  EXPECT_EQ(ones.v[1], 0x41c83b0eu);
  EXPECT_EQ(ones.v[2], 0xa20bc7c6u);
  EXPECT_EQ(ones.v[3], 0x6d5451fdu);
}

TEST(Philox, UniformsFillTheirInterval) {
  double sum = 0, low = 1, high = 0;
  constexpr int n = 100000;
  for (int k = 0; k < n; ++k) {
    const Random4 r = philox(3210, 1, k);
    const double u = uniform_double(r.v[0], r.v[1]);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    const float f = uniform_float(r.v[2]);
    ASSERT_GE(f, 0.f);
    ASSERT_LT(f, 1.f);
    sum += u;
    low = std::min(low, u);
    high = std::max(high, u);
  }
  // The mean of n uniforms has standard deviation 1/sqrt(12 n); five of them.
  EXPECT_NEAR(sum / n, 0.5, 5.0 / std::sqrt(12.0 * n));
  EXPECT_LT(low, 1e-3);
  EXPECT_GT(high, 1 - 1e-3);
}

}  // namespace
}  // namespace perturb
