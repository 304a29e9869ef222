// Forces and profiles drawn into the flow, and frequencies that are reported only once they are regular.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/measure/marks.h"
#include "cuda/lbm/measure/report.h"
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

void expect_in_view(const TheoryMark& arrow) {
  EXPECT_FALSE(arrow.label.empty());
  const CurvePoint& head = arrow.points[1];  // its label is beside it
  EXPECT_GT(std::min(head.x, head.y), 0.02) << arrow.label.english();
  EXPECT_LT(std::max(head.x, head.y), 0.98) << arrow.label.english();
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

// A wall across three quarters of the stream has a drag coefficient of about 20.
TEST_P(LbmMarks, ArrowsOfAWallAcrossTheStreamEndInTheView) {
  Scene scene = load_scene("lbm/cylinder");
  scene.setup.width = 96;
  scene.setup.height = 32;
  const auto flow = lbm_simulation().create(backend(), scene.setup);
  flow->apply({"wall-line", {{"x0", 0.53}, {"y0", 0.9}, {"x1", 0.59}, {"y1", 0.12}, {"thickness", 3}}, "", nullptr});
  flow->step(700);
  const Diagnostics d = flow->diagnostics({}, true);
  const double length = scalar(d, "reynolds") * 0.016 / 0.1;
  ASSERT_GT(lengths_per_coefficient * length * scalar(d, "drag_coefficient"), 96) << "as long, it would leave the view";
  int arrows = 0;
  for (const TheoryMark& mark : d.marks)
    if (mark.shape == TheoryMark::Shape::arrow) {
      expect_in_view(mark);
      ++arrows;
    }
  EXPECT_EQ(arrows, 4) << "drag and lift of the cylinder and of the wall";
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

// The report on a flow past one body, long after its start.
struct FlowPastABody {
  static constexpr int width = 192, height = 128, size = 60;
  static constexpr double speed = 0.1, pressure = 0.5 * speed * speed * size;

  FlowPastABody() {
    Body body;
    body.cells = size * size;
    body.columns = body.rows = size;
    body.x = 80;
    body.y = 50;
    bodies.reported = {body};
    bodies.all = 1;
    parameters.inlet_speed = speed;
  }
  Diagnostics described() const {
    return lbm_describe({parameters, width, height, 100000, 0, sums, speed, true, bodies, forces, histories, profiles,
                         &histories.front(), Shown::speed, 0, std::nullopt});
  }

  Parameters parameters;
  Sums sums;
  Bodies bodies;
  std::vector<Force> forces = std::vector<Force>(1);
  std::vector<History> histories = std::vector<History>(1);  // of the force, and of the probe
  Profiles profiles;
};

TEST(LbmForceArrows, AreShortenedAlikeInEveryDirection) {
  struct Direction {
    Boundary Parameters::*inlet;
    double x, y;
  };
  for (const Direction& stream :
       {Direction{&Parameters::boundary_left, 1, 0}, Direction{&Parameters::boundary_right, -1, 0},
        Direction{&Parameters::boundary_bottom, 0, 1}, Direction{&Parameters::boundary_top, 0, -1}})
    for (const double lift : {-25., -5., 5., 25.}) {
      constexpr double drag = 10;
      FlowPastABody flow;
      flow.parameters.*stream.inlet = Boundary::inlet;
      // Lift is to the left of the stream.
      flow.forces[0].x = FlowPastABody::pressure * (drag * stream.x - lift * stream.y);
      flow.forces[0].y = FlowPastABody::pressure * (drag * stream.y + lift * stream.x);
      const Diagnostics d = flow.described();
      const TheoryMark *of_drag = mark_with(d, "Drag"), *of_lift = mark_with(d, "Lift");
      ASSERT_TRUE(of_drag && of_lift);
      expect_in_view(*of_drag);
      expect_in_view(*of_lift);
      const auto cells_along = [](const TheoryMark& arrow, double x, double y) {
        return (arrow.points[1].x - arrow.points[0].x) * FlowPastABody::width * x +
               (arrow.points[1].y - arrow.points[0].y) * FlowPastABody::height * y;
      };
      const double along = cells_along(*of_drag, stream.x, stream.y),
                   across = cells_along(*of_lift, -stream.y, stream.x);
      ASSERT_GT(along, 5);
      EXPECT_NEAR(across / along, lift / drag, 1e-9);
    }
}

// Aliasing would make a fast oscillation a slow one.
TEST(LbmHistory, NamesNoFrequencyOfTooFewSamplesPerPeriod) {
  for (const int samples : {5, 7}) {
    FlowPastABody flow;
    flow.parameters.boundary_left = Boundary::inlet;
    const auto interval = static_cast<double>(min_steps_per_sample);
    const double period = samples * interval;
    for (int k = 0; k < 2000; ++k)
      flow.histories[0].add(k * interval, 1, std::sin(2 * std::numbers::pi * k / samples + 0.3));
    const Diagnostics d = flow.described();
    for (const char* id : {"strouhal", "probe_frequency", "probe_strouhal"})
      EXPECT_EQ(has_value(scalar(d, id)), samples == 7) << id << ", " << samples;
    for (const char* name : {"Strouhal number (lift)", "Velocity probe: frequency"}) {
      const std::string reason = std::string(name) + ": no value, because a period has only 5 samples and needs 6.";
      const bool says_why = std::any_of(d.remarks.begin(), d.remarks.end(),
                                        [&](const Message& remark) { return remark.english().starts_with(reason); });
      EXPECT_EQ(says_why, samples == 5) << name << ", " << samples;
    }
    if (samples == 7) {
      EXPECT_NEAR(scalar(d, "strouhal"), FlowPastABody::size / (period * FlowPastABody::speed), 0.01);
      EXPECT_NEAR(scalar(d, "probe_frequency"), 1 / period, 1e-4);
    }
  }
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
