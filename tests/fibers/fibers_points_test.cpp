// Clouds of point forces, which fibers are compared with.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/core.h"
#include "cuda/studies/fibers/studies.h"
#include "tests/support/backends.h"

namespace perturb::fibers {
namespace {

const double points_d = fiber_d(0.01);

TEST(FiberPointsTest, TwoFallTogether) {
  // Side by side at the distance r each carries the other by 1/(r d), above each other by 2/(r d).
  const double alone = mean_lone_fall(points_d);
  const std::vector<double> beside = point_velocities(std::vector<double>{0, 0, 0, 2, 0, 0}, alone, points_d);
  EXPECT_NEAR(-beside[2], alone + 1 / (2 * points_d), 1e-15);
  EXPECT_EQ(beside[0], 0);
  const std::vector<double> above = point_velocities(std::vector<double>{0, 0, 0, 0, 0, 4}, alone, points_d);
  EXPECT_NEAR(-above[5], alone + 2 / (4 * points_d), 1e-15);
  // Aslant they drift along the line from the upper one to the lower one, x z/(r³ d), and stay at their distance.
  FallingPoints pair({0, 0, 0, 3, 0, 4}, points_d);
  EXPECT_NEAR(pair.velocity()[0], -12 / (125 * points_d), 1e-15);
  for (int step = 0; step < 20; ++step) pair.step(0.1);
  const std::vector<double>& x = pair.position();
  EXPECT_NEAR(x[3] - x[0], 3, 1e-13);
  EXPECT_NEAR(x[5] - x[2], 4, 1e-13);
  EXPECT_NEAR(x[0], -2 * 12 / (125 * points_d), 1e-13);
  EXPECT_NEAR(x[2], -2 * (alone + (1.0 / 5 + 16.0 / 125) / points_d), 1e-13);
}

TEST(FiberPointsTest, ABallFallsAsADrop) {
  const Placement ball = fiber_cloud(1000, 6, 0, 2);
  const FallingPoints points(ball.position, points_d);
  const Core core = find_fiber_core(ball.position, ball.tangent, points.velocity(), points_d);
  EXPECT_NEAR(core.fall, mean_lone_fall(points_d) + ball_fall(1000, 1000, core.radius, points_d), 0.02 * core.fall)
      << "the draw of 1000 places";
}

class FiberPointsRun : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberPointsRun);

// Fibers far from each other are point forces, except for the effect of their directions.
TEST_P(FiberPointsRun, EqualDistantFibers) {
  const Placement fibers = fiber_cloud(30, 400, 60, 4);
  const Evaluation e = evaluate_fibers(backend(), fibers, precise_fibers());
  const std::vector<double> points = point_velocities(fibers.position, 0, points_d);
  double most = 0, largest = 0;
  for (std::size_t m = 0; m < 90; m += 3) {
    const double *t = &fibers.tangent[m], axial = -(points_d - 2) * t[2];
    const double alone[] = {axial * t[0], axial * t[1], axial * t[2] - (points_d + 2)};
    for (std::size_t c = 0; c < 3; ++c) {
      most = std::max(most, std::abs(e.velocity[m + c] - alone[c] / (2 * points_d) - points[m + c]));
      largest = std::max(largest, std::abs(points[m + c]));
    }
  }
  EXPECT_LT(most, 1e-3 * largest) << "the next term is (1/60)² of the nearest one's flow";
}

TEST(FiberPointsTest, StepsAreOfSecondOrder) {
  const Placement ball = fiber_cloud(20, 3, 0.5, 6);
  const auto end = [&](double dt) {
    FallingPoints points(ball.position, points_d);
    for (long step = 0; step < std::lround(2 / dt); ++step) points.step(dt);
    return points.position();
  };
  const std::vector<double> exact = end(0.0025);
  const auto error = [&](double dt) {
    double sum = 0;
    const std::vector<double> x = end(dt);
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - exact[k]) * (x[k] - exact[k]);
    return std::sqrt(sum);
  };
  EXPECT_NEAR(std::log2(error(0.08) / error(0.04)), 2, 0.3);
}

}  // namespace
}  // namespace perturb::fibers
