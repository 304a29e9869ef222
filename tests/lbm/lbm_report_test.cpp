// The numbers that a flow reports about its walls, and their reference values.
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/lbm.h"
#include "tests/support/backends.h"

namespace perturb::lbm {
namespace {

class LbmNumbers : public OnEachBackend {
 protected:
  std::map<std::string, double> numbers(const std::string& scene, const std::vector<Action>& more = {}) {
    const auto flow = lbm_simulation().create(backend(), load_scene(scene).setup);
    for (const Action& action : more) flow->apply(action);
    flow->step(20);
    std::map<std::string, double> found;
    for (const Scalar& s : flow->diagnostics({}, true).scalars) found[s.id] = s.value;
    return found;
  }
};
PERTURB_ON_EACH_BACKEND(LbmNumbers);

TEST_P(LbmNumbers, ACylinderIsComparedAtTheReynoldsNumberOfItsScene) {
  auto cylinder = numbers("lbm/cylinder");
  EXPECT_NEAR(cylinder.at("reynolds"), 256, 10);
  ASSERT_EQ(cylinder.count("strouhal_expected"), 1u);
  // Two-dimensional computations give 0.197 at Re 200 and 0.237 at 1000.
  EXPECT_NEAR(cylinder.at("strouhal_expected"), 0.2056, 0.002);
  EXPECT_FALSE(has_value(cylinder.at("strouhal"))) << "before a vortex has left";
}

TEST_P(LbmNumbers, HasNoExpectedValueWithoutCylinder) {
  EXPECT_EQ(numbers("lbm/step").count("strouhal_expected"), 0u);
  EXPECT_EQ(numbers("lbm/airfoil").count("strouhal_expected"), 0u);
  const Action second{"wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.08}}, "", nullptr};
  EXPECT_EQ(numbers("lbm/cylinder", {second}).count("strouhal_expected"), 0u);
}

TEST_P(LbmNumbers, AWingHasTheReynoldsNumberOfItsChord) {
  // 0.7 of 384 cells, rotated by ten degrees: 0.1 · 269/0.004.
  EXPECT_NEAR(numbers("lbm/airfoil").at("reynolds"), 6720, 0.03 * 6720);
}

TEST_P(LbmNumbers, AStepHasTheReynoldsNumberOfItsHeight) {
  EXPECT_NEAR(numbers("lbm/step").at("reynolds"), 0.1 * 96 / 0.012, 1);
}

}  // namespace
}  // namespace perturb::lbm
