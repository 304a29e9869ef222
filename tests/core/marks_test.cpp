// Building blocks of theory drawn into the view.
#include "cuda/core/simulation/marks.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace perturb {
namespace {

TEST(ZeroLines, CircleIsOneClosedLine) {
  const auto lines = zero_lines([](double x, double y) { return std::hypot(x - 0.5, y - 0.4) - 0.25; }, 64);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  double length = 0;
  for (std::size_t k = 0; k < lines[0].size(); ++k) {
    // The error of a straight line within a cell: cell²/(8 radius).
    EXPECT_NEAR(std::hypot(lines[0][k].x - 0.5, lines[0][k].y - 0.4), 0.25, 1.0 / 64 / 64 / 2);
    if (k > 0) length += std::hypot(lines[0][k].x - lines[0][k - 1].x, lines[0][k].y - lines[0][k - 1].y);
  }
  EXPECT_NEAR(length, 2 * std::numbers::pi * 0.25, 0.005);
}

// sin(2 pi x) sin(pi y) is zero at the edge too, up to rounding: only the line in the middle is drawn.
TEST(ZeroLines, EdgeOfTheSquareIsNoLine) {
  const auto lines = zero_lines(
      [](double x, double y) { return std::sin(2 * std::numbers::pi * x) * std::sin(std::numbers::pi * y); }, 50);
  ASSERT_EQ(lines.size(), 1u);
  for (const CurvePoint& p : lines[0]) EXPECT_NEAR(p.x, 0.5, 1e-9);
  EXPECT_NEAR(std::abs(lines[0].front().y - lines[0].back().y), 1, 0.003);
}

TEST(ZeroLines, FunctionWithoutZerosHasNone) {
  EXPECT_TRUE(zero_lines([](double x, double y) { return 1 + x * y; }, 16).empty());
}

TEST(Marks, PositionsAreFractionsOfTheDomain) {
  Diagnostics d;
  Marks marks(d, 200, 50);
  marks.arrow({20, 10}, {100, 10}, "Drag");
  marks.bar({20, 25}, {40, 25}, 5, "λ", true);
  ASSERT_EQ(d.marks.size(), 2u);
  EXPECT_EQ(d.marks[0].shape, TheoryMark::Shape::arrow);
  EXPECT_DOUBLE_EQ(d.marks[0].points[0].x, 0.1);
  EXPECT_DOUBLE_EQ(d.marks[0].points[1].x, 0.5);
  EXPECT_DOUBLE_EQ(d.marks[0].points[1].y, 0.2);
  EXPECT_TRUE(d.marks[1].measured);
  // Strokes across both ends, 5 units to each side.
  EXPECT_NEAR(d.marks[1].points.front().x, 0.1, 1e-12);
  EXPECT_NEAR(d.marks[1].points.front().y, 0.4, 1e-12);
  EXPECT_NEAR(d.marks[1].points.back().x, 0.2, 1e-12);
  EXPECT_NEAR(d.marks[1].points.back().y, 0.4, 1e-12);
}

}  // namespace
}  // namespace perturb
