// A membrane that moves in time: struck, audible, refined while it vibrates, saved and resumed.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/membrane/measure/resonators.h"
#include "cuda/membrane/membrane.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

class MembraneInTime : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> drum(std::map<std::string, double> more = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {{"level", 2},        {"degree", 4},          {"sigma", 0},
                        {"motion", 1},       {"preconditioner", 1},  {"tolerance", 1e-11},
                        {"time_step", 0.01}, {"source_strength", 0}, {"source_width", 0.2}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    return create(backend(), setup);
  }
  static Action strike(double x, double y, double velocity) {
    return {"strike", {{"x", x}, {"y", y}, {"velocity", velocity}}, "", nullptr};
  }
  static double height(Simulation& membrane, double x, double y) {
    ViewSettings view;
    view.quantity = "displacement";
    return std::stod(membrane.value_at(x, y, view).english());
  }
};
PERTURB_ON_EACH_BACKEND(MembraneInTime);

TEST_P(MembraneInTime, AClickStrikesItAndTheRightButtonFromBelow) {
  double heights[2] = {};
  for (const auto button : {Gesture::Button::left, Gesture::Button::right}) {
    const auto membrane = drum({{"strike_velocity", 2}});
    membrane->step(3);
    EXPECT_EQ(scalar(*membrane, "largest"), 0) << "at rest before";
    Gesture g;
    g.tool = "load";
    g.button = button;
    g.x = 0.4;
    g.y = 0.6;
    for (const Gesture::Phase phase : {Gesture::Phase::press, Gesture::Phase::move, Gesture::Phase::release}) {
      g.phase = phase;
      for (const Action& action : membrane->interpret(g)) membrane->apply(action);
    }
    membrane->step(2);
    heights[button == Gesture::Button::left ? 0 : 1] = height(*membrane, 0.4, 0.6);
  }
  // A point in the middle of the bump rises with the velocity of the strike: 2·0.02, reduced slightly by the tension.
  EXPECT_NEAR(heights[0], 0.04, 0.002);
  EXPECT_EQ(heights[1], -heights[0]);
}

TEST_P(MembraneInTime, SteadyOscillationIgnoresStrikes) {
  const auto membrane = drum({{"motion", 0}, {"source_strength", 1}});
  const std::vector<std::byte> before = membrane->save().datasets.at("coefficients").bytes;
  const std::string error = error_thrown_by([&] { membrane->apply(strike(0.5, 0.5, 1)); });
  EXPECT_NE(error.find("motion"), std::string::npos) << error;
  EXPECT_TRUE(membrane->save().datasets.at("coefficients").bytes == before);
  EXPECT_FALSE(membrane->save().has("velocity"));
}

// The spectrum of the resonator bank has its peaks at the modes: the two lowest that do not vanish off the middle
// lines.
TEST_P(MembraneInTime, TheSpectrumPeaksAtTheModes) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  const auto membrane = drum({{"sweep_from", 2}, {"sweep_to", 9.4}, {"ear_x", 0.72}, {"ear_y", 0.7}});
  membrane->apply(strike(0.3, 0.28, 1));
  membrane->step(2500);
  const std::vector<Curve> curves = membrane->diagnostics({}, true).curves;
  ASSERT_EQ(curves.front().id, "spectrum");
  const Curve& spectrum = curves.front();
  ASSERT_EQ(spectrum.points.size(), ResonatorBank::resonator_count);
  const double lines[3] = {2, 5, 8};  // m² + n² of (1, 1), of (1, 2) and (2, 1), of (2, 2)
  for (const double line : lines) {
    const double omega = std::numbers::pi * std::sqrt(line);
    CurvePoint peak{0, -1e9}, beside = peak;
    for (const CurvePoint& p : spectrum.points) {
      if (std::abs(p.x - omega) < 0.6 && p.y > peak.y) peak = p;
      if (std::abs(p.x - omega) > 0.3 && std::abs(p.x - omega) < 0.5 && p.y > beside.y) beside = p;
    }
    EXPECT_NEAR(peak.x, 2 / 0.01 * std::atan(0.005 * omega), 0.02) << "the rule's own";
    EXPECT_GT(peak.y, beside.y + 0.4) << "a line, and no shoulder of another";
  }
  // The lines of the theory are at the equation's frequencies: (1, 2) and (2, 1) are one.
  std::vector<double> theory;
  for (const CurvePoint& p : spectrum.theory)
    if (theory.empty() || p.x > theory.back() + 1e-9) theory.push_back(p.x);
  ASSERT_EQ(theory.size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(theory[static_cast<std::size_t>(k)], std::numbers::pi * std::sqrt(lines[k]), 1e-12);
}

TEST_P(MembraneInTime, RefiningWhileItRingsKeepsTheMotion) {
  const auto membrane = drum({{"level", 3}});
  membrane->apply(strike(0.5, 0.5, 1));
  membrane->step(40);
  const double before = scalar(*membrane, "energy");
  membrane->apply(Action{"split", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
  membrane->step(1);
  EXPECT_NEAR(scalar(*membrane, "energy"), before, 0.01 * before);
  membrane->step(40);
  EXPECT_NEAR(scalar(*membrane, "energy"), before, 0.01 * before);
}

TEST_P(MembraneInTime, FailedSolveKeepsState) {
  const auto membrane = drum({{"solver", 1}});
  membrane->apply(strike(0.5, 0.5, 1));
  membrane->step(3);
  const State before = membrane->save();
  membrane->set_parameter("max_iterations", 1);
  membrane->step(1);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite) << "the gauge comes first";
  const Gauge residual = gauge_of(*membrane, "residual");
  EXPECT_EQ(residual.level(), Gauge::Level::exceeded);
  EXPECT_NE(residual.remedy.english().find("maximum iterations"), std::string::npos) << residual.remedy.english();
  EXPECT_EQ(membrane->time(), before.time);
  membrane->step(60);
  const Diagnostics d = membrane->diagnostics({}, true);
  EXPECT_FALSE(d.finite);
  EXPECT_NE(d.error.english().find("maximum iterations"), std::string::npos) << d.error.english();
  EXPECT_EQ(membrane->time(), before.time);
  for (const char* name : {"coefficients", "velocity"})
    EXPECT_TRUE(membrane->save().datasets.at(name).bytes == before.datasets.at(name).bytes) << name;
  // It continues from there as without interruption.
  membrane->set_parameter("max_iterations", 1000);
  membrane->step(1);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite);
  EXPECT_EQ(gauge_of(*membrane, "residual").level(), Gauge::Level::good);
  EXPECT_GT(membrane->time(), before.time);
}

// A driven, damped membrane in time converges to the closed form of a single mode.
TEST_P(MembraneInTime, ALoadDrivesItInTimeToo) {
  const double k = 4.4, c = 1.5, omega2 = 2 * std::numbers::pi * std::numbers::pi;
  const auto membrane =
      drum({{"load", 1}, {"mode_x", 1}, {"mode_y", 1}, {"source_strength", 1}, {"frequency", k}, {"damping", c}});
  membrane->step(1500);
  // The load is (omega² - k²) sin sin cos(k t): the response is that divided by omega² - k² + i k c.
  const double f = omega2 - k * k, distance = omega2 - k * k, t = membrane->time();
  const double norm = distance * distance + k * k * c * c;
  const double theory = f * (distance * std::cos(k * t) + k * c * std::sin(k * t)) / norm;
  EXPECT_NEAR(height(*membrane, 0.5, 0.5), theory, 2e-3 * f / std::sqrt(norm)) << "e^{-c t/2} and dt² are left";
}

TEST_P(MembraneInTime, RejectsDamagedVelocity) {
  const auto membrane = drum();
  membrane->apply(strike(0.5, 0.5, 1));
  membrane->step(2);
  State state = membrane->save();
  state.datasets.erase("velocity");
  EXPECT_THROW(membrane->load(state), InputError);
  state = membrane->save();
  state.put<double>("listened", {1}, "time", std::vector<double>{1e9});
  EXPECT_THROW(membrane->load(state), InputError);
}

// The gauge is amber before the error reaches a twelfth of a semitone, and red after half a semitone.
TEST_P(MembraneInTime, GaugeExceedsLimitForLongTimeStep) {
  const auto level = [&](double dt) { return drum({{"time_step", dt}})->gauges().front().level(); };
  EXPECT_EQ(level(0.005), Gauge::Level::good);
  EXPECT_EQ(level(0.04), Gauge::Level::near) << "omega = 10: 1 - atan(0.2)/0.2 = 0.013";
  EXPECT_EQ(level(0.1), Gauge::Level::exceeded);
}

}  // namespace
}  // namespace perturb::membrane
