// Velocities of lone fibers and of a cloud's core, drawn into the view.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/fibers/measure/marks.h"
#include "cuda/fibers/model/balance.h"

namespace perturb::fibers {
namespace {

PictureViews one_view(double half) {
  PictureViews views;
  views.views = 1;
  views.half = half;
  views.axes[0] = views.axes[1] = orbit_axes(0, 0);
  return views;
}

// (d + 2) F + (d - 2)(t.F) t over 2 d: 1 upright, (d + 2)/2d level, and at 45° sideways (d - 2)/4d.
TEST(FibersMarks, LoneFibersHaveTheirExactVelocity) {
  Parameters parameters;
  const double d = fiber_d(parameters.slenderness), slant = std::sqrt(0.5);
  Placement fibers;
  fibers.add({-2, 0, 1}, {0, 0, 1});
  fibers.add({0, 0, 0}, {1, 0, 0});
  fibers.add({2, 0, 0}, {slant, 0, slant});
  Diagnostics found;
  mark_lone_fibers(fibers, parameters, one_view(5), {0, 0, 0}, found);
  ASSERT_EQ(found.marks.size(), 3u);
  const auto step = [&](int m) {
    const auto& p = found.marks[static_cast<std::size_t>(m)].points;
    return CurvePoint{(p[1].x - p[0].x) * 10, (p[1].y - p[0].y) * 10};
  };
  EXPECT_NEAR(found.marks[0].points[0].x, 0.3, 1e-9);
  EXPECT_NEAR(found.marks[0].points[0].y, 0.6, 1e-9);
  EXPECT_NEAR(step(0).y, -1, 1e-9);
  EXPECT_NEAR(step(0).x, 0, 1e-9);
  EXPECT_NEAR(step(1).y, -(d + 2) / (2 * d), 1e-9);
  EXPECT_NEAR(step(2).y, -(d + 2 + (d - 2) / 2) / (2 * d), 1e-9);
  EXPECT_NEAR(step(2).x, -(d - 2) / (4 * d), 1e-9);
}

TEST(FibersMarks, CoreAndEstimateHaveArrowsInTheirRatio) {
  Diagnostics found;
  found.scalars = {{"core_fall", "", "", 3, Meaning::motion}, {"fall_theory", "", "", 4, Meaning::motion}};
  mark_core_fall(one_view(10), found);
  ASSERT_EQ(found.marks.size(), 2u);
  const auto length = [&](std::size_t k) { return found.marks[k].points[1].y - found.marks[k].points[0].y; };
  EXPECT_FALSE(found.marks[0].measured);
  EXPECT_TRUE(found.marks[1].measured);
  EXPECT_NEAR(length(1) / length(0), 0.75, 1e-9);
  EXPECT_LT(length(0), 0) << "downwards";
  Diagnostics none;
  mark_core_fall(one_view(10), none);
  EXPECT_TRUE(none.marks.empty());
}

}  // namespace
}  // namespace perturb::fibers
