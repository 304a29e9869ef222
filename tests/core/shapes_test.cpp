#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/math/geometry.h"

namespace perturb {
namespace {

TEST(CellSegment, DistancesAreThoseOfTheNearestOfManyPoints) {
  for (const CellSegment s :
       {CellSegment{2, 3, 9, 5}, CellSegment{9, 5, 2, 3}, CellSegment{4, 8, 4, 1}, CellSegment{3.5f, 3.5f, 3.5f, 3.5f}})
    for (int j = -2; j < 12; ++j)
      for (int i = -2; i < 12; ++i) {
        double nearest = 1e9, place = 0;
        for (int k = 0; k <= 2000; ++k) {
          const double t = k / 2000.0, x = s.x0 + t * (s.x1 - s.x0), y = s.y0 + t * (s.y1 - s.y0);
          const double distance = std::hypot(i + 0.5 - x, j + 0.5 - y);
          if (distance < nearest) {
            nearest = distance;
            place = t;
          }
        }
        EXPECT_NEAR(std::sqrt(s.distance2(i, j)), nearest, 4e-3) << i << ", " << j;
        EXPECT_NEAR(s.along(i + 0.5f, j + 0.5f), place, 1e-3) << i << ", " << j;
      }
}

TEST(CellShapes, HoldTheirCells) {
  const CellSegment box{1, 2, 5, 4}, oval{5, 5, 3, 2};
  int in_box = 0, in_oval = 0;
  for (int j = 0; j < 10; ++j)
    for (int i = 0; i < 10; ++i) {
      in_box += in_rectangle(box, i + 0.5f, j + 0.5f) ? 1 : 0;
      in_oval += in_ellipse(oval, i + 0.5f, j + 0.5f) ? 1 : 0;
    }
  EXPECT_EQ(in_box, 4 * 2);
  EXPECT_EQ(in_oval, 20);
  EXPECT_TRUE(in_rectangle(box, 1, 2)) << "the sides below and to the left are its own";
  EXPECT_FALSE(in_rectangle(box, 5, 3));
  EXPECT_FALSE(in_rectangle(box, 2, 4));
  EXPECT_TRUE(in_ellipse(oval, 8, 5));
  EXPECT_FALSE(in_ellipse(oval, 7.9f, 6));
}

}  // namespace
}  // namespace perturb
