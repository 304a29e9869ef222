// Fibers of unequal length: how they are drawn, and what lies between them.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/fibers/model/contact.h"
#include "cuda/fibers/model/core.h"
#include "tests/fibers/fibers_unequal.h"

namespace perturb::fibers {
namespace {

double closest_of_unequal(const Placement& fibers) {
  double closest = 1e300;
  for (int m = 0; m < fibers.count(); ++m)
    for (int l = m + 1; l < fibers.count(); ++l) {
      const std::size_t a = 3 * static_cast<std::size_t>(m), b = 3 * static_cast<std::size_t>(l);
      closest = std::min(
          closest, fiber_distance(load3(&fibers.position[a]) - load3(&fibers.position[b]), load3(&fibers.tangent[a]),
                                  load3(&fibers.tangent[b]), fibers.half_of(m), fibers.half_of(l)));
    }
  return closest;
}

TEST(FiberLengthsTest, DrawsKeepTheMeanAndTheSpread) {
  EXPECT_TRUE(draw_fiber_lengths(with_spread(0), 100, 1, 0).empty());
  for (const LengthKind kind : {LengthKind::uniform, LengthKind::two})
    for (const int count : {100, 101}) {
      const std::vector<double> halves = draw_fiber_lengths(with_spread(0.3, kind), count, 7, 0);
      ASSERT_EQ(halves.size(), static_cast<std::size_t>(count));
      double sum = 0, squares = 0;
      for (const double half : halves) {
        sum += half;
        squares += (half - 1) * (half - 1);
      }
      EXPECT_NEAR(sum / count, 1, 1e-14);
      EXPECT_NEAR(std::sqrt(squares / count), 0.3, 0.3 / count) << "by the middles of even shares";
      EXPECT_GE(*std::min_element(halves.begin(), halves.end()), shortest_fiber_drawn(with_spread(0.3, kind)));
      EXPECT_FALSE(std::is_sorted(halves.begin(), halves.end()));
      EXPECT_EQ(halves, draw_fiber_lengths(with_spread(0.3, kind), count, 7, 0));
      EXPECT_NE(halves, draw_fiber_lengths(with_spread(0.3, kind), count, 8, 0));
      EXPECT_NE(halves, draw_fiber_lengths(with_spread(0.3, kind), count, 7, 1));
    }
}

TEST(FiberLengthsTest, TheLeastDistanceIsThatOfTheAxes) {
  // Against a search of places along both.
  for (int pair = 0; pair < 40; ++pair) {
    const auto counter = static_cast<std::uint64_t>(pair);
    const Vector3<double> r = scaled(0.3 + 0.08 * pair, random_direction(3, 21, counter)),
                          t = random_direction(3, 22, counter), u = random_direction(3, 23, counter);
    const double first = 0.3 + 0.05 * pair, second = 2.4 - 0.05 * pair;
    double least = 1e300;
    constexpr int poses = 400;
    for (int i = 0; i <= poses; ++i)
      for (int k = 0; k <= poses; ++k) {
        const Vector3<double> d =
            add_scaled(add_scaled(r, first * (2.0 * i / poses - 1), t), -second * (2.0 * k / poses - 1), u);
        least = std::min(least, dot(d, d));
      }
    EXPECT_NEAR(fiber_distance(r, t, u, first, second), std::sqrt(least), 0.012) << pair;
    EXPECT_LE(fiber_distance(r, t, u, first, second), std::sqrt(least) + 1e-12) << pair;
  }
}

TEST(FiberLengthsTest, BodiesOfUnequalLengthComeApart) {
  const double d = fiber_d(0.01), thickness = 0.04;
  Placement heap = unequal_cloud(60, 1.5, 0, 7);
  EXPECT_LT(closest_of_unequal(heap), thickness / 4);
  EXPECT_TRUE(
      push_fibers_apart(heap.position.data(), heap.tangent.data(), 60, thickness, d, 0, heap.half_length).settled);
  EXPECT_GE(closest_of_unequal(heap), thickness);
  // Upright ones on a level one's middle: equal forces move each by its lone mobility, ln of its length included, over
  // its own length.
  const double half = 2, own = d + 2 * std::log(half);
  double x[] = {0, 0, half + thickness / 2, 0, 0, 0}, t[] = {0, 0, 1, 1, 0, 0};
  const double halves[] = {half, 1};
  push_fibers_apart(x, t, 2, thickness, d, 0, halves);
  const double upright = x[2] - half - thickness / 2, level = -x[5];
  EXPECT_NEAR(upright / level, own / (d * half) / ((d + 2) / (2 * d)), 1e-10);
  // A level long fiber hit at a position s of its own turns by 3/2 s d_L/(d L³) for each unit of force; the upright
  // short one moves by the same force.
  double y[] = {1.5, 0, 1 + thickness / 2, 0, 0, 0}, u[] = {0, 0, 1, 1, 0, 0};
  const double other[] = {1, half};
  push_fibers_apart(y, u, 2, thickness, d, 0, other);
  const double moved = y[2] - 1 - thickness / 2, slope = -u[5] / u[3];
  EXPECT_NEAR(slope / moved, 1.5 * 1.5 * own / (d * half * half * half), 1e-3);
}

TEST(FiberLengthsTest, CoreUsesFiberWeights) {
  Placement fibers;
  add_fiber_ball(fibers, 400, {0, 0, 0}, 6, 0, 5, 1, draw_fiber_lengths(with_spread(0.5, LengthKind::two), 400, 5, 0));
  for (int k = 0; k < 10; ++k) fibers.add({0, 0, 20.0 + k}, {0, 0, 1}, 0.25);
  const double d = fiber_d(0.01);
  const std::vector<double> rest(fibers.position.size(), 0.0);
  const Core core = find_fiber_core(fibers.position, fibers.tangent, rest, d, fibers.half_length);
  EXPECT_EQ(core.fibers, 400);
  EXPECT_NEAR(core.weight, 400, 1e-10);
  EXPECT_NEAR(core.mean_length, 1, 1e-12);
  EXPECT_NEAR(core.mean_length_behind, 0.25, 1e-12);
  double lone = 0;
  for (std::size_t m = 0; m < 400; ++m) {
    const double own = d + 2 * std::log(fibers.half_length[m]), tz = fibers.tangent[3 * m + 2];
    lone += (own + 2 + (own - 2) * tz * tz) / (2 * d) / 400;
  }
  EXPECT_NEAR(core.lone_fall, lone, 1e-12);
}

}  // namespace
}  // namespace perturb::fibers
