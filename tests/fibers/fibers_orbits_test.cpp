// Steps too long make orbits wider: the prediction, and scenes whose steps are short enough.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/measure/describe.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::fibers {
namespace {

TEST(FiberOrbits, TheRunsOwnStepGrowsAsForetold) {
  const TheoryCheck check = check_orbit();
  EXPECT_TRUE(check.pass()) << check.got << " for " << check.expected;
}

// From the roots' series: |z| = 1 + theta⁴ (3/4 two-step, 1/4 Adams-Bashforth), 1 - theta⁶/144 Runge-Kutta.
TEST(FiberOrbits, SmallStepsFollowTheSeries) {
  const double theta = 0.02, turn = 2 * M_PI / theta, fourth = std::pow(theta, 4);
  EXPECT_NEAR(orbit_growth(Scheme::two_step, theta) / (turn * 0.75 * fourth), 1, 0.01);
  EXPECT_NEAR(orbit_growth(Scheme::adams_bashforth, theta) / (turn * 0.25 * fourth), 1, 0.01);
  EXPECT_NEAR(orbit_growth(Scheme::runge_kutta, 0.2) / (-2 * M_PI / 0.2 * std::pow(0.2, 6) / 144), 1, 0.05);
  EXPECT_EQ(orbit_growth(Scheme::two_step, 0), 0);
  EXPECT_GT(orbit_growth(Scheme::two_step, 2), 1) << "the other root, not the orbit's, grows there";
}

class FiberOrbitsRun : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberOrbitsRun);

TEST_P(FiberOrbitsRun, TheRingIsClearOfItAndTheSourcesStepIsNot) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const Scene scene = load_scene("fibers/ring");
  Experiment run(backend(), scene);
  const auto level = [&] {
    run.simulation().diagnostics(scene.view, true);
    const std::vector<Gauge> gauges = run.simulation().gauges();
    return std::find_if(gauges.begin(), gauges.end(), [](const Gauge& g) { return g.id == "orbits"; })->level();
  };
  EXPECT_EQ(level(), Gauge::Level::good);
  run.simulation().set_parameter("time_step", 0.3);
  EXPECT_EQ(level(), Gauge::Level::near);
  run.simulation().set_parameter("time_step", 0.5);
  EXPECT_EQ(level(), Gauge::Level::exceeded);
}

}  // namespace
}  // namespace perturb::fibers
