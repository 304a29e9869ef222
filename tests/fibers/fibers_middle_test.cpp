#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/camera.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/view/view.h"

namespace perturb::fibers {
namespace {

// Fibers on a line of unit steps along x, about `middle`, and as many stragglers far above.
std::vector<double> fibers_with_stragglers(int fibers, double middle, int stragglers) {
  std::vector<double> rows;
  for (int m = 0; m < fibers; ++m) rows.insert(rows.end(), {middle + m - 0.5 * (fibers - 1), 0, -5});
  for (int m = 0; m < stragglers; ++m) rows.insert(rows.end(), {middle, 0, 1000});
  return rows;
}

TEST(FiberMiddle, StragglersDoNotDragIt) {
  const Vector3<double> middle = fiber_middle(fibers_with_stragglers(11, 3, 4), 10);
  EXPECT_DOUBLE_EQ(middle.x, 3);
  EXPECT_DOUBLE_EQ(middle.y, 0);
  EXPECT_DOUBLE_EQ(middle.z, -5);
}

TEST(FiberMiddle, FewFibersHaveNoStraggler) {
  EXPECT_DOUBLE_EQ(fiber_middle(fibers_with_stragglers(7, 0, 1), 10).z, (7 * -5.0 + 1000) / 8);
  EXPECT_DOUBLE_EQ(fiber_middle(fibers_with_stragglers(8, 0, 1), 10).z, -5);
}

TEST(FiberMiddle, VelocityUsesSameFibers) {
  const std::vector<double> x = fibers_with_stragglers(11, 3, 4);
  std::vector<double> v(x.size(), 0.0);
  for (std::size_t m = 0; m < x.size() / 3; ++m) v[3 * m + 2] = m < 11 ? -8 : -1;
  EXPECT_DOUBLE_EQ(middle_velocity(x, v, 10).z, -8);
}

// Two clouds far apart have their median between them, where there are no fibers.
TEST(FiberMiddle, IsMedianAtRestWithoutNearFibers) {
  std::vector<double> x, v;
  for (int m = 0; m < 10; ++m) {
    x.insert(x.end(), {m % 2 ? 100.0 : 0.0, m % 2 ? 0.0 : 100.0, 0});
    v.insert(v.end(), {1, 1, 1});
  }
  EXPECT_DOUBLE_EQ(fiber_middle(x, 10).x, 100);
  EXPECT_DOUBLE_EQ(fiber_middle(x, 10).y, 100);
  EXPECT_DOUBLE_EQ(middle_velocity(x, v, 10).x, 0);
}

// Half the height of a view of the start that is 5 high, once the fibers are at `x`.
double half_with(const std::vector<double>& x, const Parameters& p) {
  const auto backend = Backend::make_cpu(1);
  Array<double> position(*backend, x.size(), "positions");
  position.upload(std::span<const double>(x));
  ViewState view(5);
  view.set_camera(Camera(), p, position);
  return view.views(p).half;
}

TEST(FiberViewSize, GrowsWithFewFibersThatPart) {
  Parameters p;
  const std::vector<double> near = {0, 0, -2, 0, 0, 2}, far = {0, 0, -200, 0, 0, 200};
  EXPECT_EQ(half_with(near, p), 5);
  EXPECT_GT(half_with(far, p), 201) << "a fiber reaches one half-length beyond its middle";
  EXPECT_LT(half_with(far, p), 250);
}

TEST(FiberViewSize, StaysWithManyFibersAndWhereItIsSet) {
  Parameters p;
  EXPECT_EQ(half_with(fibers_with_stragglers(11, 0, 1), p), 5);
  const std::vector<double> far = {0, 0, -200, 0, 0, 200};
  p.follow = false;
  EXPECT_EQ(half_with(far, p), 5);
  p.follow = true;
  p.view_size = 2;
  EXPECT_EQ(half_with(far, p), 2);
}

}  // namespace
}  // namespace perturb::fibers
