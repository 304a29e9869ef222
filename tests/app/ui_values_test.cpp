// The small pure parts of the interface: slider scales, pace, history, keys, ticks.
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "app/ui/color_bar.h"
#include "app/ui/history.h"
#include "app/ui/keys.h"
#include "app/ui/pace.h"
#include "app/ui/slider_scale.h"
#include "cuda/core/catalog.h"

namespace perturb {
namespace {

// ---- sliders ----

TEST(SliderScale, EndsAreTheRange) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters) {
      EXPECT_EQ(slider_value(p, 0), p.minimum) << p.id;
      EXPECT_EQ(slider_value(p, 1), p.maximum) << p.id;
      for (double t = -0.1; t < 1.15; t += 0.01) EXPECT_NO_THROW(p.check(slider_value(p, t))) << p.id << " at " << t;
    }
}

TEST(SliderScale, GoesThereAndBack) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters) {
      if (p.kind != ValueKind::real) continue;
      for (double t = 0; t <= 1; t += 0.05)
        EXPECT_NEAR(slider_fraction(p, slider_value(p, t)), t, 0.006)
            << p.id;  // values are rounded to a 200th at worst
    }
}

TEST(SliderScale, ValuesArePlain) {
  const ValueInfo linear = real_value("a", "A", "", "", 0, 0, 1, "");
  EXPECT_EQ(slider_value(linear, 0.3), 0.3);
  EXPECT_EQ(slider_value(linear, 1.0 / 3), 0.333);
  ValueInfo log = real_value("b", "B", "", "", 1, 1e-4, 10, "");
  log.scale = Scale::logarithmic;
  EXPECT_NEAR(slider_value(log, 0.5), std::sqrt(1e-4 * 10), 2e-4);
  ValueInfo whole = real_value("c", "C", "", "", 1, 1, 9, "");
  whole.kind = ValueKind::integer;
  EXPECT_EQ(slider_value(whole, 0.5), 5);
}

TEST(SliderScale, Texts) {
  EXPECT_EQ(number_text(0.07), "0.07");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(512), "512");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(std::nan("")), "not a number");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-infinite");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1234567), "1\u00a0234\u00a0567");
  EXPECT_EQ(grouped(-123456), "-123\u00a0456");
}

// ---- pace ----

constexpr double frame = Pace::target_frame;

TEST(Pace, TakesWhatWasAskedForWhereThereIsTime) {
  Pace pace(16);
  for (int i = 0; i < 100; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-5, 0.002);
  EXPECT_EQ(pace.steps(), 16);
  EXPECT_FALSE(pace.yields());
}

TEST(Pace, YieldsToKeepTheFrameRateAndRecovers) {
  Pace pace(64);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-3, 0.002);
  EXPECT_TRUE(pace.yields());
  EXPECT_GE(pace.steps(), 8);
  EXPECT_LE(pace.steps() * 1e-3 + 0.002, frame);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-5, 0.002);
  EXPECT_EQ(pace.steps(), 64);
}

TEST(Pace, SlowDrawingDoesNotStarveThePhysics) {
  Pace pace(64);
  for (int i = 0; i < 200; ++i) pace.observe_steps(pace.steps(), pace.steps() * 1e-3, 0.2);
  EXPECT_GE(pace.steps() * 1e-3, 0.4 * frame);
}

TEST(Pace, AHugeStepIsStillTaken) {
  Pace pace(16);
  for (int i = 0; i < 50; ++i) pace.observe_steps(pace.steps(), pace.steps() * 0.5, 0.002);
  EXPECT_EQ(pace.steps(), 1);
}

TEST(Pace, QueuedStepsAreJudgedByFrames) {
  Pace pace(400);
  const auto frame_for = [&](double per_step) { return std::max(frame, pace.steps() * per_step); };
  for (int i = 0; i < 2000; ++i) pace.observe_frame(pace.steps(), frame_for(1e-4));
  EXPECT_TRUE(pace.yields());
  EXPECT_LT(pace.steps() * 1e-4, 1.3 * frame);
  EXPECT_GT(pace.steps() * 1e-4, 0.5 * frame);
  for (int i = 0; i < 8000; ++i) pace.observe_frame(pace.steps(), frame_for(1e-6));
  EXPECT_EQ(pace.steps(), 400);
}

TEST(Pace, DoesNotBlameTheStepsForASlowDisplay) {
  Pace pace(100);
  int least = 100;
  double sum = 0;
  for (int i = 0; i < 3000; ++i)
    pace.observe_frame(pace.steps(), 1.0 / 30), least = std::min(least, pace.steps()), sum += pace.steps();
  EXPECT_GT(sum / 3000, 90) << "30 frames a second whatever it does: the steps are to be taken";
}

TEST(Pace, KeysDoubleAndHalve) {
  Pace pace(16);
  pace.faster();
  EXPECT_EQ(pace.wanted(), 32);
  for (int i = 0; i < 40; ++i) pace.slower();
  EXPECT_EQ(pace.wanted(), 1);
  for (int i = 0; i < 80; ++i) pace.faster();
  EXPECT_GT(pace.wanted(), 1000);
}

// ---- history ----

Diagnostics diagnostics_at(std::int64_t step) {
  Diagnostics d;
  d.step = step, d.time = 0.5 * static_cast<double>(step);
  d.scalars = {{"energy", "Energy", "J", 1.0 / (1.0 + static_cast<double>(step))}};
  return d;
}

TEST(History, KeepsTheWholeRunInBoundedMemory) {
  History history;
  for (int i = 0; i < 100000; ++i) history.add(diagnostics_at(i));
  ASSERT_EQ(history.series().size(), 1u);
  const auto& points = history.series()[0].points;
  EXPECT_LE(points.size(), 1200u);
  EXPECT_GE(points.size(), 500u);
  EXPECT_EQ(points.front().x, 0);
  EXPECT_GT(points.back().x, 49000);
  for (std::size_t i = 1; i < points.size(); ++i) ASSERT_GT(points[i].x, points[i - 1].x);
}

TEST(History, BeginsAnewWithTheRun) {
  History history;
  history.add(diagnostics_at(10));
  history.add(diagnostics_at(20));
  history.add(diagnostics_at(20));
  EXPECT_EQ(history.series()[0].points.size(), 2u);
  history.add(diagnostics_at(5));
  EXPECT_EQ(history.series()[0].points.size(), 1u);
}

// ---- keys ----

TEST(Keys, EveryChordMeansOneThing) {
  std::set<std::string> seen;
  for (const KeyBinding& binding : key_bindings()) {
    std::istringstream chords(binding.chords);
    int count = 0;
    for (std::string chord; chords >> chord; ++count) {
      EXPECT_TRUE(seen.insert(chord).second) << chord;
      ASSERT_TRUE(find_binding(chord));
      EXPECT_EQ(find_binding(chord)->command, binding.command);
      EXPECT_FALSE(chord.size() == 1 && chord[0] >= '1' && chord[0] <= '9') << "those choose tools";
    }
    EXPECT_GE(count, 1);
    EXPECT_FALSE(shown_chords(binding).empty());
  }
  EXPECT_EQ(find_binding("Ctrl+Z"), nullptr);
  EXPECT_EQ(shown_chord(UiCommand::save_state), "Ctrl + S");
  EXPECT_EQ(shown_chord(UiCommand::larger_text), "Ctrl + +");
  EXPECT_EQ(shown_chord(UiCommand::single_step), ".");
}

// ---- ticks ----

TEST(Ticks, AreRoundAndInside) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, {-0.1, 0.1}, {3.0, 4567.0}, {-1e-9, 2e-9}, {1e12, 3e12}}) {
    const std::vector<double> ticks = nice_ticks(low, high, 5);
    ASSERT_GE(ticks.size(), 2u);
    ASSERT_LE(ticks.size(), 6u);
    for (const double tick : ticks) {
      EXPECT_GE(tick, low - 1e-6 * (high - low));
      EXPECT_LE(tick, high + 1e-6 * (high - low));
    }
  }
  EXPECT_TRUE(nice_ticks(1, 1, 5).empty());
  EXPECT_TRUE(nice_ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
  EXPECT_EQ(tick_text(0.05, 0.05), "0.05");
  EXPECT_EQ(tick_text(0.1, 0.05), "0.10");
  EXPECT_EQ(tick_text(-1e-18, 0.05), "0");
  EXPECT_EQ(tick_text(400, 200), "400");
}

TEST(Ticks, EndForRangesThatRoundingCannotCut) {
  for (const double low : {1e16, -1e16, 1e300, 1.0, 5e-324})
    EXPECT_LE(nice_ticks(low, std::nextafter(low, std::numeric_limits<double>::max()), 5).size(), 7u) << low;
}

}  // namespace
}  // namespace perturb
