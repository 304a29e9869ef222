#include "cuda/core/math/elementary.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

// The difference from `exact`, in units in the last place.
template <class T>
double units_off(T got, long double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / unit);
}

// Numbers of both signs whose logarithm is spread evenly from 10^low to 10^high.
std::vector<double> spread(double low, double high) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<double> list(200000);
  for (double& x : list) x = std::pow(10, low + (high - low) * share(random)) * (share(random) < 0.5 ? -1 : 1);
  return list;
}

// The reference values need more digits than a double has.
bool has_longer_numbers() { return LDBL_MANT_DIG > DBL_MANT_DIG; }

TEST(Elementary, SinesAreWithinOneUnit) {
  if (!has_longer_numbers()) GTEST_SKIP() << "A long double has no more digits here.";
  double sines = 0, cosines = 0;
  for (const double x : spread(-9, 6)) {
    sines = std::max(sines, units_off(sine(x), std::sin(static_cast<long double>(x))));
    cosines = std::max(cosines, units_off(cosine(x), std::cos(static_cast<long double>(x))));
  }
  // Next to whole multiples of a quarter turn, where most digits cancel.
  for (int k = 1; k < 100000; k += 7) {
    const double x = k * (M_PI / 2);
    sines = std::max(sines, units_off(sine(x), std::sin(static_cast<long double>(x))));
    cosines = std::max(cosines, units_off(cosine(x), std::cos(static_cast<long double>(x))));
  }
  EXPECT_LT(sines, 1);
  EXPECT_LT(cosines, 1);
}

TEST(Elementary, ExponentialsAreWithinOneUnit) {
  if (!has_longer_numbers()) GTEST_SKIP() << "A long double has no more digits here.";
  double worst = 0;
  for (const double x : spread(-12, 2.84))
    if (std::abs(x) < 708) worst = std::max(worst, units_off(exponential(x), std::exp(static_cast<long double>(x))));
  EXPECT_LT(worst, 1);
}

TEST(Elementary, LogarithmsAreWithinOneUnit) {
  if (!has_longer_numbers()) GTEST_SKIP() << "A long double has no more digits here.";
  double doubles = 0, floats = 0;
  const auto look = [&](double x) {
    doubles = std::max(doubles, units_off(logarithm(x), std::log(static_cast<long double>(x))));
    const auto y = static_cast<float>(x);
    if (y > 1e-37f && y < 1e38f && y != 1)
      floats = std::max(floats, units_off(logarithm(y), std::log(static_cast<long double>(y))));
  };
  for (const double x : spread(-300, 300)) look(std::abs(x));
  for (const double x : spread(-15, -0.4)) look(1 + x);  // next to 1, where the logarithm is small
  EXPECT_LT(doubles, 1);
  EXPECT_LT(floats, 1);
  EXPECT_EQ(logarithm(1.0), 0);
}

TEST(Elementary, FloatsAreTheDoublesRounded) {
  for (const double x : spread(-3, 1.5)) {
    const auto y = static_cast<float>(x);
    EXPECT_EQ(sine(y), static_cast<float>(sine(static_cast<double>(y))));
    EXPECT_NEAR(hyperbolic_tangent(y), std::tanh(y), 2e-7);
  }
}

TEST(Elementary, EndsOfTheRange) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sine(0.0), 0);
  EXPECT_EQ(cosine(0.0), 1);
  EXPECT_TRUE(std::isnan(sine(infinity)) && std::isnan(cosine(none)));
  EXPECT_NEAR(sine(1e15), std::sin(1e15), 1e-15);  // beyond the range of the argument reduction
  EXPECT_EQ(exponential(0.0), 1);
  EXPECT_EQ(exponential(-800.0), 0);
  EXPECT_EQ(exponential(-infinity), 0);
  EXPECT_EQ(exponential(800.0), infinity);
  EXPECT_EQ(exponential(infinity), infinity);
  EXPECT_TRUE(std::isnan(exponential(none)));
  EXPECT_NEAR(exponential(709.7) / std::exp(709.7), 1, 1e-15);
  EXPECT_EQ(logarithm(0.0), -infinity);
  EXPECT_EQ(logarithm(-0.0), -infinity);
  EXPECT_EQ(logarithm(1e-310), -infinity);  // subnormal
  EXPECT_EQ(logarithm(infinity), infinity);
  EXPECT_TRUE(std::isnan(logarithm(-1.0)) && std::isnan(logarithm(none)) && std::isnan(logarithm(-infinity)));
  EXPECT_EQ(hyperbolic_tangent(1000.f), 1);
  EXPECT_EQ(hyperbolic_tangent(-1000.f), -1);
}

template <class T, int lanes>
void expect_lanes_of_numbers() {
  const std::vector<double> from = spread(-30, 30);
  for (std::size_t first = 0; first + lanes <= 4096; first += lanes) {
    Pack<T, lanes> pack;
    for (int k = 0; k < lanes; ++k)
      pack.set(k, k == 1 ? T(0) : static_cast<T>(std::abs(from[first + static_cast<std::size_t>(k)])));
    const Pack<T, lanes> got = logarithm(pack);
    for (int k = 0; k < lanes; ++k) EXPECT_EQ(got[k], logarithm(pack[k])) << pack[k];
  }
}

TEST(Elementary, PackLaneIsBitIdenticalToScalar) {
  expect_lanes_of_numbers<double, 2>();
  expect_lanes_of_numbers<double, native_lanes>();
  expect_lanes_of_numbers<float, 2 * native_lanes>();
}

}  // namespace
}  // namespace perturb
