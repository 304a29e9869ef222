// Forces and profiles drawn into the flow, and frequencies that are reported only once they are regular.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/measure/marks.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"

namespace perturb::lbm {
namespace {

class LbmMarks : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmMarks);

const TheoryMark* mark_with(const Diagnostics& d, const std::string& begin) {
  for (const TheoryMark& mark : d.marks)
    if (mark.label.english().starts_with(begin)) return &mark;
  return nullptr;
}

TEST_P(LbmMarks, ArrowsAreProportionalToTheCoefficients) {
  Scene scene = load_scene("lbm/cylinder");
  scene.setup.width = 192;
  scene.setup.height = 64;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  EXPECT_EQ(mark_with(flow->diagnostics({}, true), "Drag"), nullptr) << "the force of the start";
  flow->step(400);
  const Diagnostics d = flow->diagnostics({}, true);
  const TheoryMark *drag = mark_with(d, "Drag"), *lift = mark_with(d, "Lift");
  ASSERT_TRUE(drag && lift);
  EXPECT_TRUE(drag->measured);
  EXPECT_NEAR(drag->points[0].x, 0.18, 0.01) << "from the cylinder's centre";
  EXPECT_NEAR(drag->points[0].y, 0.51, 0.01);
  // The reference length from the Reynolds number.
  const double length = scalar(d, "reynolds") * 0.016 / 0.1;
  EXPECT_NEAR((drag->points[1].x - drag->points[0].x) * 192,
              lengths_per_coefficient * length * scalar(d, "drag_coefficient"), 1e-6);
  EXPECT_NEAR((lift->points[1].y - lift->points[0].y) * 64,
              lengths_per_coefficient * length * scalar(d, "lift_coefficient"), 1e-6);
}

TEST_P(LbmMarks, ChannelHasTheParabola) {
  Scene scene = load_scene("lbm/channel");
  scene.setup.width = 48;
  scene.setup.height = 32;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  const Diagnostics d = flow->diagnostics({}, true);
  const TheoryMark* peak = mark_with(d, "Theory");
  ASSERT_TRUE(peak);
  // F h²/(8 nu) in the middle.
  EXPECT_NEAR(std::stod(peak->label.arguments().front().english()), 5e-6 * 32 * 32 / (8 * 0.1), 1e-5);
  EXPECT_NEAR(peak->points.back().y, 0.5, 1e-9);
  EXPECT_NEAR(peak->points.back().x, 0.5 + profile_share, 1e-9);
}

TEST_P(LbmMarks, VorticesWithoutBodyOrWallHaveNone) {
  Scene scene = load_scene("lbm/taylor-green");
  scene.setup.width = scene.setup.height = 32;
  EXPECT_TRUE(lbm_simulation().create(backend(), scene.setup)->diagnostics({}, true).marks.empty());
}

TEST(LbmHistory, ReportsAFrequencyOnlyOfARegularOscillation) {
  History wake;
  for (int k = 0; k <= 400; ++k) wake.add(10 * k, 1, std::sin(2 * std::numbers::pi * 10 * k / 500));
  EXPECT_NEAR(wake.frequency(), 1.0 / 500, 1e-5);
  EXPECT_NEAR(wake.frequency(1900), 1.0 / 500, 1e-5) << "the later half spans 2000 steps";
  EXPECT_EQ(wake.frequency(2100), 0) << "too short for a frequency";
  // A chirp: within the later half its period falls to a quarter.
  History chirp;
  for (int k = 0; k <= 400; ++k) chirp.add(10 * k, 1, std::sin(2 * std::numbers::pi * 12 * std::pow(k / 400.0, 3)));
  EXPECT_EQ(chirp.frequency(), 0);
}

// Three upward crossings and two downward ones, or the reverse: a reversed stream has the Strouhal number of the other.
TEST(LbmHistory, HasTheFrequencyOfItsMirrorImage) {
  for (const double last : {2100., 2350., 2600.}) {
    History lift, mirrored;
    for (double time = 0; time <= last; time += 10) {
      // Without symmetry in time either: short above the mean, long below.
      const double phase = 2 * std::numbers::pi * time / 400, value = std::sin(phase) + 0.4 * std::cos(2 * phase);
      lift.add(time, 1, value);
      mirrored.add(time, 1, -value);
    }
    EXPECT_NEAR(lift.frequency(), 1.0 / 400, 1e-5) << last;
    EXPECT_EQ(lift.frequency(), mirrored.frequency()) << last;
  }
}

}  // namespace
}  // namespace perturb::lbm
