// Outlines of walls: their position between the cells.
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "cuda/lbm/actions.h"
#include "cuda/lbm/model/walls.h"
#include "tests/lbm/lbm_use.h"

namespace perturb::lbm {
namespace {

// The same shape on a grid refined by the factor `finer`.
Shape on_a_finer_grid(Shape shape, int finer) {
  const auto f = static_cast<float>(finer);
  shape.line = {f * shape.line.x0, f * shape.line.y0, f * shape.line.x1, f * shape.line.y1};
  shape.radius *= f;
  return shape;
}

class LbmOutlineOf : public testing::TestWithParam<const char*> {
 protected:
  static Action action_of(const std::string& kind) {
    std::map<std::string, double> numbers;
    if (kind == "wall-disc") numbers = {{"x", 0.503}, {"y", 0.481}, {"radius", 0.271}};
    if (kind == "wall-ellipse") numbers = {{"x", 0.503}, {"y", 0.481}, {"half_width", 0.41}, {"half_height", 0.223}};
    if (kind == "wall-line") numbers = {{"x0", 0.21}, {"y0", 0.27}, {"x1", 0.73}, {"y1", 0.64}, {"thickness", 9.3}};
    if (kind == "wall-rectangle") numbers = {{"x0", 0.213}, {"y0", 0.287}, {"x1", 0.741}, {"y1", 0.655}};
    if (kind == "wall-airfoil") numbers = {{"x", 0.14}, {"y", 0.5}, {"chord", 1.1}, {"angle", 9}, {"thickness", 0.24}};
    if (kind == "wall-grains")
      numbers = {{"x0", 0.1}, {"y0", 0.1}, {"x1", 0.9}, {"y1", 0.9}, {"rows", 3}, {"size", 0.4}};
    return action(kind.c_str(), numbers);
  }
};

TEST_P(LbmOutlineOf, LiesWhereTheShapeWasDrawn) {
  // The intersection of outline and link is determined on a grid 256 times as fine; the distances of the two cells give
  // the same position.
  constexpr int width = 90, height = 60, finer = 256;
  const Action drawn = action_of(GetParam());
  Action full = drawn;
  for (const ActionKind& kind : action_kinds())
    if (kind.id == drawn.kind)
      for (const ValueInfo& field : kind.fields) full.numbers.emplace(field.id, field.initial);
  const Shape shape = action_shape(full, width, height, 1), fine = on_a_finer_grid(shape, finer);
  // The centres of the fine cells are at whole multiples of one half.
  const auto inside_at = [&](double x, double y) {
    return fine.holds(static_cast<int>(std::floor(x * finer)), static_cast<int>(std::floor(y * finer)));
  };
  int links = 0;
  double worst = 0, sum = 0, line_sum = 0;
  for (int j = 1; j + 1 < height; ++j)
    for (int i = 1; i + 1 < width; ++i) {
      if (shape.holds(i, j)) continue;
      for (int q = 1; q < lbm_links; ++q) {
        const int a = i - lbm_ex(q), b = j - lbm_ey(q);
        if (!shape.holds(a, b)) continue;
        double low = 0, high = 1;
        for (int k = 0; k < 8; ++k) {
          const double middle = 0.5 * (low + high);
          (inside_at(i + 0.5 - middle * lbm_ex(q), j + 0.5 - middle * lbm_ey(q)) ? high : low) = middle;
        }
        const int c = i + lbm_ex(q), d = j + lbm_ey(q);
        const int here = outline_of(shape.distance(i, j), false), there = outline_of(shape.distance(a, b), true);
        const int behind = shape.holds(c, d) ? 2 * here - there : outline_of(shape.distance(c, d), false);
        const double found =
            static_cast<double>(outline_share(here, there, behind < outline_far ? behind : 2 * here - there));
        const double off = std::abs(found - 0.5 * (low + high));
        line_sum += std::abs(static_cast<double>(here) / (here - there) - 0.5 * (low + high));
        worst = std::max(worst, off);
        sum += off;
        ++links;
      }
    }
  ASSERT_GT(links, 50);
  // Corners, and the nose and the tail of a wing, are narrower than a cell; the worst link of a round outline is a
  // grazing one.
  const bool smooth = shape.kind != Shape::Kind::rectangle && shape.kind != Shape::Kind::airfoil;
  EXPECT_LT(sum / links, smooth ? 0.02 : 0.035);
  if (smooth) {
    EXPECT_LT(sum, line_sum) << "nearer than the straight line between two distances";
  }
  if (smooth && shape.kind != Shape::Kind::grains) {
    EXPECT_LT(worst, 0.2);
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, LbmOutlineOf,
                         testing::Values("wall-disc", "wall-ellipse", "wall-line", "wall-rectangle", "wall-airfoil",
                                         "wall-grains"),
                         [](const auto& test) {
                           std::string name(test.param);
                           name.erase(name.find('-'), 1);
                           return name;
                         });

TEST(LbmOutline, KeepsItsDistancesThroughAFile) {
  for (int units = 1; units <= outline_far; units += 7) {
    const float saved = static_cast<float>(units) * outline_unit;
    EXPECT_EQ(outline_of(saved, false), units);
    EXPECT_EQ(outline_of(-saved, true), -units);
  }
  EXPECT_EQ(outline_of(-0.1f, false), 1) << "what is fluid stays outside";
  EXPECT_EQ(outline_of(0.1f, true), -1) << "what is wall stays inside";
  EXPECT_EQ(outline_of(std::nanf(""), false), 1);
}

}  // namespace
}  // namespace perturb::lbm
