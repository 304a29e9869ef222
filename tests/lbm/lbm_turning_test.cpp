// Cylinders that turn: the flow round them, their torque, and what a user does with them.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/uncompared.h"
#include "cuda/lbm/lbm.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/scalars.h"

namespace perturb::lbm {
namespace {

constexpr double surface_speed = 0.03;

Action cylinder(double speed, double x = 0.5, double radius = 0.2) {
  return action("wall-disc", {{"x", x}, {"y", 0.5}, {"radius", radius}, {"surface_speed", speed}});
}
// Changes the cylinder that was placed last.
void change(Simulation& flow, const char* number, double value) {
  flow.apply(action("change-wall-disc", {{"object", flow.objects().back().id}, {number, value}}));
}

class LbmTurning : public OnEachBackend {
 protected:
  // Between a turning cylinder and a round wall.
  std::unique_ptr<Simulation> annulus(double speed, std::map<std::string, double> more = {}, int side = 48) {
    std::map<std::string, double> parameters = {{"viscosity", 0.1},        {"outlines", 1},
                                                {"boundary_left", wall},   {"boundary_right", wall},
                                                {"boundary_bottom", wall}, {"boundary_top", wall}};
    for (const auto& [id, value] : more) parameters[id] = value;
    return flow_of(
        backend(), side, side, parameters,
        {action("wall-rectangle", {{"x0", -0.1}, {"y0", -0.1}, {"x1", 1.1}, {"y1", 0.96}}),
         action("wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.45}, {"erase", 1}}),
         action("wall-rectangle", {{"x0", -0.1}, {"y0", 0.955}, {"x1", 1.1}, {"y1", 1.1}}), cylinder(speed)});
  }
  // In a box.
  std::unique_ptr<Simulation> box(std::vector<Action> actions, double outlines = 0) {
    return flow_of(backend(), 48, 40, {{"viscosity", 0.05}, {"outlines", outlines}}, std::move(actions));
  }
  Curve profile(Simulation& flow) {
    for (Curve& c : flow.diagnostics({}, true).curves)
      if (c.id == "profile_round") return c;
    return {};
  }
};
PERTURB_ON_EACH_BACKEND(LbmTurning);

TEST_P(LbmTurning, FlowsAsInTheory) {
  SKIP_AT_SMALL_REACH("the smaller test runs the same code");
  for (const bool curved_outlines : {false, true})
    for (const TheoryCheck& check : check_turning(backend(), curved_outlines))
      EXPECT_LE(check.error, check.tolerance) << check.name << ": " << check.got << ", expected " << check.expected;
}

TEST_P(LbmTurning, SmallAnnulusHasProfileAndTorque) {
  const auto flow = annulus(surface_speed);
  EXPECT_TRUE(is_uncompared(profile(*flow))) << "not steady yet";
  flow->step(1500);
  const Curve c = profile(*flow);
  ASSERT_GE(c.points.size(), 11u);
  EXPECT_FALSE(is_uncompared(c));
  EXPECT_LT(error_against_theory(c), 0.03);
  EXPECT_NEAR(c.theory.front().y, surface_speed, 1e-9);
  EXPECT_NEAR(c.theory.back().y, 0, 1e-4);
  const double expected = scalar(*flow, "torque_expected");
  EXPECT_LT(expected, 0) << "the fluid holds the cylinder back";
  EXPECT_NEAR(scalar(*flow, "torque") / expected, 1, 0.03);
  EXPECT_NEAR(scalar(*flow, "reynolds"), surface_speed * 12 / 0.1, 0.1);
}

TEST_P(LbmTurning, OppositeTurnIsTheMirrorImage) {
  const auto left = annulus(surface_speed), right = annulus(-surface_speed);
  left->step(300);
  right->step(300);
  const Curve a = profile(*left), b = profile(*right);
  ASSERT_FALSE(a.points.empty());
  for (std::size_t k = 0; k < a.points.size(); ++k) EXPECT_NEAR(a.points[k].y, -b.points[k].y, 1e-6);
  EXPECT_NEAR(scalar(*left, "torque"), -scalar(*right, "torque"), 1e-4);
}

TEST_P(LbmTurning, FluidKeepsItsMass) {
  for (const double outlines : {0., 1.}) {
    const auto flow = annulus(surface_speed, {{"outlines", outlines}});
    const double before = scalar(*flow, "mass");
    flow->step(1000);
    EXPECT_NEAR(scalar(*flow, "mass") / before, 1, 2e-6);
  }
}

TEST_P(LbmTurning, AnotherPlaceOrShapeHasNoTheory) {
  const auto flow = annulus(surface_speed);
  EXPECT_FALSE(profile(*flow).theory.empty());
  change(*flow, "x", 0.52);
  EXPECT_TRUE(profile(*flow).theory.empty()) << "the gap is not the same all round";
  change(*flow, "x", 0.5);
  EXPECT_FALSE(profile(*flow).theory.empty());
  change(*flow, "surface_speed", 0);
  EXPECT_TRUE(profile(*flow).theory.empty());
  EXPECT_EQ(flow->diagnostics({}, true).scalar("torque"), nullptr);
}

// The surface moves against the stream above the cylinder, where the pressure is then higher (Magnus).
TEST_P(LbmTurning, StreamPushesTheCylinderAside) {
  const auto lift = [&](double speed) {
    const auto flow = flow_of(backend(), 96, 64,
                              {{"viscosity", 0.05},
                               {"outlines", 1},
                               {"inlet_speed", 0.05},
                               {"boundary_left", inlet},
                               {"boundary_right", outlet},
                               {"disturbance", 0}},
                              {action("stream", {{"vx", 0.05}}), cylinder(speed, 0.4, 0.1)});
    flow->step(1500);
    return scalar(*flow, "lift_coefficient");
  };
  EXPECT_NEAR(lift(0), 0, 0.01);
  EXPECT_LT(lift(0.05), -0.3);
  EXPECT_NEAR(lift(0.05), -lift(-0.05), 0.01);
}

TEST_P(LbmTurning, PushesNothingOnceItStands) {
  const auto flow = box({cylinder(surface_speed)});
  flow->step(20);
  change(*flow, "surface_speed", 0);
  flow->apply(action("calm"));
  flow->step(20);
  EXPECT_EQ(scalar(*flow, "max_speed"), 0);
}

// Where bodies overlap, each boundary population gets the motion of one.
TEST_P(LbmTurning, OverlappingCylindersOfOneMotionMoveAsOne) {
  const auto one = box({cylinder(surface_speed)}), two = box({cylinder(surface_speed), cylinder(surface_speed)});
  one->step(50);
  two->step(50);
  EXPECT_EQ(scalar(*one, "max_speed"), scalar(*two, "max_speed"));
}

TEST_P(LbmTurning, SavedRunResumesBitForBit) {
  for (const double outlines : {0., 1.}) {
    const auto flow = box({cylinder(surface_speed)}, outlines), other = box({cylinder(0)}, outlines);
    flow->step(17);
    other->load(flow->save());
    EXPECT_EQ(other->objects().at(0).numbers.at("surface_speed"), surface_speed);
    const std::unique_ptr<StateCopy> kept = flow->copy_state();
    flow->step(30);
    other->step(30);
    const State there = flow->save();
    EXPECT_EQ(largest_difference(other->save(), there), 0);
    flow->restore(*kept);
    flow->step(30);
    EXPECT_EQ(largest_difference(flow->save(), there), 0);
  }
}

TEST_P(LbmTurning, EveryKernelTurnsIt) {
  const auto after = [&](const std::string& kernel) {
    const auto flow = box({cylinder(surface_speed)}, 1);
    flow->select_kernel(kernel);
    flow->step(31);
    return flow->save();
  };
  const State expected = after("fused");
  for (const KernelVariant& kernel : lbm_simulation().kernels)
    if (backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu) {
      EXPECT_LE(largest_difference(after(kernel.id), expected), kernel.id == "half" ? 2e-3 : 0) << kernel.id;
    }
}

}  // namespace
}  // namespace perturb::lbm
