// The numbers that a flow reports about its walls, and their reference values.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/lbm.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

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

// The force of the start is many times that of the flow, and would spoil the axis of a plot.
TEST_P(LbmNumbers, HaveNoDragAndLiftOfTheStart) {
  Scene scene = load_scene("lbm/cylinder");
  scene.setup.width = 192;
  scene.setup.height = 64;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  double highest = 0;
  bool says_why = false;
  for (int k = 0; k < 40; ++k) {
    const Diagnostics d = flow->diagnostics({}, true);
    const double drag = scalar(d, "drag_coefficient");
    if (!has_value(drag))
      for (const Message& remark : d.remarks)
        says_why = says_why || remark.english().starts_with("Drag and lift: no value before step");
    EXPECT_FALSE(k == 0 && has_value(drag));
    if (has_value(drag)) highest = std::max(highest, drag);
    for (const Curve& curve : d.curves)
      if (curve.id == "drag")
        for (const CurvePoint& point : curve.points) highest = std::max(highest, point.y);
    flow->step(20);
  }
  EXPECT_TRUE(says_why);
  EXPECT_GT(highest, 0.5);
  EXPECT_LT(highest, 6);
}

// Its first value is nearly its last.
TEST_P(LbmNumbers, HaveNoPermeabilityBeforeTheFlowIsSteady) {
  Scene scene = load_scene("lbm/porous");
  scene.setup.width = 192;
  scene.setup.height = 96;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  double first = 0, last = 0;
  for (int k = 0; k < 60; ++k) {
    const double found = scalar(flow->diagnostics({}, true), "permeability");
    EXPECT_FALSE(k < 2 && has_value(found)) << k;
    if (has_value(found)) {
      first = first == 0 ? found : first;
      last = found;
    }
    flow->step(50);
  }
  ASSERT_GT(first, 0);
  EXPECT_NEAR(first, last, 0.04 * last);
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

// A coefficient by the mean speed is 9/4 of that by the peak, a Reynolds number 2/3.
TEST_P(LbmNumbers, AParabolicInletHasNumbersByItsMeanSpeed) {
  Scene scene = load_scene("lbm/cylinder");
  scene.setup.width = 192;
  scene.setup.height = 64;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  flow->step(600);
  EXPECT_EQ(flow->diagnostics({}, true).scalar("drag_coefficient_mean"), nullptr);
  flow->set_parameter("inlet_profile", 1);
  flow->step(600);
  const Diagnostics d = flow->diagnostics({}, true);
  EXPECT_NEAR(scalar(d, "reynolds_mean") / scalar(d, "reynolds"), 2. / 3, 1e-12);
  EXPECT_NEAR(scalar(d, "drag_coefficient_mean") / scalar(d, "drag_coefficient"), 2.25, 1e-12);
  EXPECT_NEAR(scalar(d, "lift_coefficient_mean") / scalar(d, "lift_coefficient"), 2.25, 1e-12);
}

// A step of 12 cells: 5 % short of the converged value.
TEST_P(LbmNumbers, AStepHasAReattachmentLength) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto flow_behind = [&](double low, double high) {
    perturb::Setup setup;
    setup.simulation = "lbm";
    setup.width = 192;
    setup.height = 24;
    setup.parameters = {{"viscosity", 0.024},  {"inlet_speed", 0.1},   {"boundary_left", 3},
                        {"boundary_right", 4}, {"boundary_bottom", 1}, {"boundary_top", 1}};
    setup.actions = {{"wall-rectangle", {{"x0", -0.1}, {"y0", low}, {"x1", 0.375}, {"y1", high}}, "", nullptr},
                     {"stream", {{"vx", 0.05}}, "", nullptr}};
    return lbm_simulation().create(backend(), setup);
  };
  for (const bool upper : {false, true}) {
    const auto flow = upper ? flow_behind(0.5, 1.1) : flow_behind(-0.1, 0.5);
    flow->step(100);
    EXPECT_FALSE(has_value(scalar(*flow, "reattachment"))) << "before the flow has passed";
    flow->step(11900);
    EXPECT_NEAR(scalar(*flow, "reattachment_expected"), 2.922, 1e-9);
    EXPECT_NEAR(scalar(*flow, "reattachment"), 2.922, 0.2);
  }
  const auto fast = flow_behind(-0.1, 0.5);
  fast->set_parameter("viscosity", 0.002);
  EXPECT_FALSE(has_value(scalar(*fast, "reattachment_expected")));
}

}  // namespace
}  // namespace perturb::lbm
