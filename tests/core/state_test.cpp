#include "cuda/core/simulation/state.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

TEST(State, ReturnsStoredValues) {
  State state;
  state.put<float>("u", {2, 3}, "height", std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(state.get<float>("u", {2, 3}), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(State, WrongShapeTypeOrNameThrowsMessage) {
  State state;
  state.put<float>("u", {2, 3}, "height", std::vector<float>(6));
  EXPECT_EQ(error_thrown_by([&] {
              (void)state.get<float>("u", {3, 2});
            }),
            "\"u\" in the saved state is [2, 3] where [3, 2] is needed.");
  EXPECT_EQ(error_thrown_by([&] {
              (void)state.get<double>("u", {2, 3});
            }),
            "\"u\" in the saved state holds float32 where float64 is needed.");
  EXPECT_EQ(error_thrown_by([&] {
              (void)state.get<float>("v", {2, 3});
            }),
            "The saved state is incomplete: it lacks \"v\". Use another copy or an earlier state.");
}

TEST(State, LargestDifference) {
  State a, b;
  a.put<double>("x", {3}, "", std::vector<double>{1, 2, 3});
  b.put<double>("x", {3}, "", std::vector<double>{1, 2.5, 3});
  EXPECT_EQ(largest_difference(a, b), 0.5);
  b.put<float>("x", {3}, "", std::vector<float>{1, 2.25f, 3});
  EXPECT_EQ(largest_difference(a, b), 0.25) << "single precision against double";
  b.put<std::int64_t>("x", {3}, "", std::vector<std::int64_t>{1, 2, 3});
  EXPECT_EQ(largest_difference(a, b), std::numeric_limits<double>::infinity());
  b.put<double>("x", {3}, "", std::vector<double>{1, std::numeric_limits<double>::quiet_NaN(), 3});
  EXPECT_EQ(largest_difference(a, b), std::numeric_limits<double>::infinity());
  b.put<double>("x", {2}, "", std::vector<double>{1, 2});
  EXPECT_EQ(largest_difference(a, b), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace perturb
