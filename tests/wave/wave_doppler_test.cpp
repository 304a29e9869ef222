// Wavelengths ahead of and behind a moving source.
#include <cmath>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/wave/wave.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb::wave {
namespace {

class WaveDopplerTest : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> tank(double x, double vx, std::map<std::string, double> parameters = {}) {
    constexpr double absorbing = 2;
    perturb::Setup setup = setup_of("wave", 600, 201,
                                    {{"time_step", 0.5},
                                     {"damping", 0},
                                     {"sponge_width", 32},
                                     {"boundary_left", absorbing},
                                     {"boundary_right", absorbing},
                                     {"boundary_bottom", absorbing},
                                     {"boundary_top", absorbing}});
    double frequency = 0.04;
    for (const auto& [id, value] : parameters) (id == "frequency" ? frequency : setup.parameters[id]) = value;
    setup.actions = {{"oscillator",
                      {{"x", x}, {"y", 0.5}, {"frequency", frequency}, {"amplitude", 0.2}, {"radius", 3}, {"vx", vx}},
                      "",
                      nullptr}};
    return wave_simulation().create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(WaveDopplerTest);

TEST_P(WaveDopplerTest, MatchesTheoryInBothDirections) {
  for (const double v : {0.4, -0.25}) {
    const auto flow = tank(v > 0 ? 0.25 : 0.75, v);
    EXPECT_FALSE(has_value(scalar(*flow, "wavelength_ahead"))) << "nothing has been sent";
    flow->step(700);
    EXPECT_NEAR(scalar(*flow, "wavelength_ahead_theory"), (1 - std::abs(v)) / 0.04, 1e-9);
    EXPECT_NEAR(scalar(*flow, "wavelength_behind_theory"), (1 + std::abs(v)) / 0.04, 1e-9);
    EXPECT_NEAR(scalar(*flow, "wavelength_ahead") / ((1 - std::abs(v)) / 0.04), 1, 0.015);
    EXPECT_NEAR(scalar(*flow, "wavelength_behind") / ((1 + std::abs(v)) / 0.04), 1, 0.015);
  }
}

TEST_P(WaveDopplerTest, WavesFromBeforeATurnDoNotCount) {
  const auto flow = tank(0.9, 0.4);  // at the side after 60 cells, 300 steps
  flow->step(305);
  EXPECT_FALSE(has_value(scalar(*flow, "wavelength_ahead")));
  flow->step(800);
  EXPECT_NEAR(scalar(*flow, "wavelength_ahead") / 15, 1, 0.015);
}

TEST_P(WaveDopplerTest, ReportsNothingForRestingOrSupersonicSource) {
  for (const double v : {0., 1.3}) {
    const auto flow = tank(0.2, v);
    flow->step(10);
    EXPECT_EQ(flow->diagnostics({}, true).scalar("wavelength_ahead"), nullptr) << v;
  }
}

TEST_P(WaveDopplerTest, ASlowOscillatorFasterThanItsWavesMakesAWedge) {
  for (const double v : {0.6, -0.6}) {
    const auto flow = tank(v > 0 ? 0.1 : 0.9, v, {{"wave_speed", 0.3}, {"frequency", 0.004}});
    EXPECT_FALSE(has_value(scalar(*flow, "wedge_angle"))) << "nothing has been sent";
    flow->step(900);
    EXPECT_NEAR(scalar(*flow, "wedge_angle_theory"), 30, 1e-9);
    EXPECT_NEAR(scalar(*flow, "wedge_angle"), 30, 1);
    EXPECT_TRUE(flow->diagnostics({}, true).remarks.empty());
    flow->step(1200);
    EXPECT_FALSE(has_value(scalar(*flow, "wedge_angle"))) << "it has turned round at the side";
  }
}

// Where the formula does not hold, there are no numbers next to it, and a message says why.
TEST_P(WaveDopplerTest, SaysWhyThereAreNoWavelengths) {
  const auto why = [&](Simulation& flow) {
    const Diagnostics d = flow.diagnostics({}, true);
    EXPECT_EQ(d.scalar("wavelength_ahead_theory"), nullptr);
    return d.remarks.empty() ? std::string() : d.remarks.front().english();
  };
  const auto expect = [&](const std::string& said, const char* part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect(why(*tank(0.2, 1.3)), "Lower the frequency");
  for (const double side : {0., 1., 3.})
    expect(why(*tank(0.2, 0.4, {{"boundary_left", side}, {"boundary_right", side}})), "absorbing");
  const auto two = tank(0.2, 0.4);
  two->apply({"oscillator", {{"x", 0.7}, {"y", 0.5}}, "", nullptr});
  expect(why(*two), "another source");
  const auto walled = tank(0.2, 0.4);
  walled->apply({"wall-ellipse", {{"x", 0.7}, {"y", 0.5}, {"radius_x", 0.05}, {"radius_y", 0.05}}, "", nullptr});
  expect(why(*walled), "walls");
  EXPECT_TRUE(tank(0.2, 0)->diagnostics({}, true).remarks.empty()) << "a source at rest needs no explanation";
}

}  // namespace
}  // namespace perturb::wave
