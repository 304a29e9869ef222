// The small pure parts of the interface: slider scales, history, keys, ticks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/run/run_text.h"
#include "app/run/ticks.h"
#include "app/session/layout.h"
#include "app/session/measurements.h"
#include "app/session/session.h"
#include "app/ui/widgets/gauges.h"
#include "app/ui/widgets/slider_scale.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

// ---- sliders ----

TEST(SliderScale, MapsEndsToRange) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters) {
      EXPECT_EQ(slider_value(p, 0), p.minimum) << p.id;
      EXPECT_EQ(slider_value(p, 1), p.maximum) << p.id;
      for (double t = -0.1; t < 1.15; t += 0.01) EXPECT_NO_THROW(p.check(slider_value(p, t))) << p.id << " at " << t;
    }
}

TEST(SliderScale, RoundTripsValues) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters) {
      for (double t = 0; t <= 1; t += 0.05) {
        const double value = slider_value(p, t);
        // Real values are rounded to a 200th at worst, whole ones by a half.
        const double rounding = p.kind == ValueKind::real
                                    ? 0.006
                                    : slider_fraction(p, value + 0.5) - slider_fraction(p, value - 0.5) + 1e-9;
        EXPECT_NEAR(slider_fraction(p, value), t, rounding) << info->id << " " << p.id;
      }
    }
}

TEST(SliderScale, GivesRoundValues) {
  const ValueInfo linear = real_value("a", "A", "", "", 0, 0, 1, "");
  EXPECT_EQ(slider_value(linear, 0.3), 0.3);
  EXPECT_EQ(slider_value(linear, 1.0 / 3), 0.333);
  ValueInfo log = real_value("b", "B", "", "", 1, 1e-4, 10, "");
  log.scale = Scale::logarithmic;
  EXPECT_NEAR(slider_value(log, 0.5), std::sqrt(1e-4 * 10), 2e-4);
  ValueInfo whole = real_value("c", "C", "", "", 1, 1, 9, "");
  whole.kind = ValueKind::integer;
  EXPECT_EQ(slider_value(whole, 0.5), 5);
  whole.maximum = 1e6;
  whole.scale = Scale::logarithmic;
  EXPECT_EQ(slider_value(whole, 0.5), 1000);
}

// The flows of interest are between 10 and 1000, and 0 takes the viscosity as it is.
TEST(SliderScale, HasReynoldsNumber100InTheMiddle) {
  for (const SimulationInfo* info : catalog())
    if (const Parameter* reynolds = find_parameter(info->parameters, "reynolds")) {
      EXPECT_EQ(slider_value(*reynolds, 0.5), 100) << info->id;
      EXPECT_EQ(slider_value(*reynolds, 0), 0) << info->id;
      EXPECT_GT(slider_value(*reynolds, 0.01), 1) << info->id;
    }
}

TEST(SliderScale, FormatsValues) {
  EXPECT_EQ(number_text(0.07), "0.07");
  EXPECT_EQ(number_text(1e-7), "1e-07");
  EXPECT_EQ(number_text(512), "512");
  EXPECT_EQ(number_text(1695.4, 3), "1695") << "not 1.7e+03";
  EXPECT_EQ(number_text(-123456.7), "-123457");
  EXPECT_EQ(number_text(1234567.8), "1.235e+06");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(std::nan("")), "not a number");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-infinite");
  EXPECT_EQ(grouped(7), "7");
  EXPECT_EQ(grouped(1234567), "1\u00a0234\u00a0567");
  EXPECT_EQ(grouped(-123456), "-123\u00a0456");
}

// ---- history ----

Diagnostics diagnostics_at(std::int64_t step) {
  Diagnostics d;
  d.step = step;
  d.time = 0.5 * static_cast<double>(step);
  d.scalars = {{"energy", "Energy", "J", 1.0 / (1.0 + static_cast<double>(step))}};
  return d;
}

TEST(History, StartsAtFirstDefinedValue) {
  History history;
  for (int step = 0; step < 6; ++step) {
    Diagnostics d;
    d.step = step;
    d.time = step;
    d.scalars = {{"energy", "Energy", "", 1}, value_if(step >= 4, {"strouhal", "Strouhal number", "", 0.2})};
    history.add(d);
  }
  ASSERT_EQ(history.series().size(), 2u);
  EXPECT_EQ(history.series()[0].points.size(), 6u);
  ASSERT_EQ(history.series()[1].points.size(), 2u);
  EXPECT_EQ(history.series()[1].points.front().x, 4);
}

TEST(History, KeepsWholeRunInBoundedMemory) {
  History history;
  for (int i = 0; i < 100000; ++i) history.add(diagnostics_at(i));
  ASSERT_EQ(history.series().size(), 1u);
  const auto& points = history.series()[0].points;
  const auto& groups = history.series()[0].groups;
  EXPECT_LE(points.size(), 3300u);
  EXPECT_GE(points.size(), 500u);
  EXPECT_GT(points.back().x, 49000);
  std::size_t observed = points.size() - groups.size();
  for (const SampleGroup& group : groups) observed += group.count;
  EXPECT_EQ(observed, 100000u);
  ASSERT_FALSE(groups.empty());
  EXPECT_EQ(groups.front().high, 1) << "the first one";
  for (std::size_t i = 1; i < points.size(); ++i) ASSERT_GT(points[i].x, points[i - 1].x);
}

TEST(History, RestartsWithRun) {
  History history;
  history.add(diagnostics_at(10));
  history.add(diagnostics_at(20));
  history.add(diagnostics_at(20));
  EXPECT_EQ(history.series()[0].points.size(), 2u);
  history.add(diagnostics_at(5));
  EXPECT_EQ(history.series()[0].points.size(), 1u);
}

TEST(History, KeepsWhatCameBeforeAReturn) {
  History history;
  for (int step = 0; step < 6000; ++step) history.add(diagnostics_at(step));
  history.add(diagnostics_at(900));
  const History::Series& one = history.series()[0];
  EXPECT_EQ(one.points.back().x, 450);
  ASSERT_GE(one.points.size(), one.groups.size());
  for (std::size_t k = 0; k < one.groups.size(); ++k) EXPECT_EQ(one.points[k].x, one.groups[k].x);
  EXPECT_EQ(one.points.front().x, one.groups.front().x);
}

// ---- keys ----

TEST(Keys, MapEveryChordToOneCommand) {
  std::set<std::string> seen;
  for (const CommandInfo& command : command_table()) {
    std::istringstream chords(command.keys);
    int count = 0;
    for (std::string chord; chords >> chord; ++count) {
      EXPECT_TRUE(seen.insert(chord).second) << chord;
      ASSERT_TRUE(find_command(chord));
      EXPECT_EQ(find_command(chord)->id, command.id);
      EXPECT_FALSE(chord.size() == 1 && chord[0] >= '1' && chord[0] <= '9') << "those choose tools";
    }
    EXPECT_GE(count, 1);
    EXPECT_FALSE(shown_chords(command).empty());
  }
  EXPECT_EQ(find_command("Ctrl+J"), nullptr);
  EXPECT_EQ(shown_chord(CommandId::save_state).english(), "Ctrl + S");
  EXPECT_EQ(shown_chord(CommandId::larger_text).english(), "Ctrl + +");
  EXPECT_EQ(shown_chord(CommandId::single_step), ".");
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
  EXPECT_EQ(tick_texts({0.05, 0.1}).texts, (std::vector<std::string>{"0.05", "0.10"}));
  EXPECT_EQ(tick_texts({-1e-18, 0.05}).texts, (std::vector<std::string>{"0", "0.05"}));
  EXPECT_EQ(tick_texts({400, 600}).texts, (std::vector<std::string>{"400", "600"}));
}

// Each label is unique, and gives the position of its tick.
TEST(Ticks, ReadAsTheirNumbers) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> exponent(-12, 12), share(-1, 1);
  std::vector<std::pair<double, double>> ranges = {{1001.00001, 1001.00004},
                                                   {16.69999, 16.70001},
                                                   {99950, 100040},
                                                   {1e5, 1.0004e5},
                                                   {0, 1e-6},
                                                   {-3e-5, 4e-5},
                                                   {-1e9, 2e9},
                                                   {1e300, 2e300},
                                                   {1e16, 1e16 + 40}};
  for (int i = 0; i < 20000; ++i) {
    const double low = share(random) * std::pow(10.0, exponent(random));
    ranges.emplace_back(low, low + std::pow(10.0, exponent(random)));
  }
  for (const auto& [low, high] : ranges) {
    const Axis axis = make_axis(low, high, false, 5);
    if (axis.ticks.size() < 2) continue;
    const TickTexts& labels = axis.labels;
    ASSERT_EQ(labels.texts.size(), axis.ticks.size());
    EXPECT_EQ(std::set<std::string>(labels.texts.begin(), labels.texts.end()).size(), labels.texts.size())
        << low << " to " << high << ": " << labels.texts[0] << ", " << labels.texts[1] << " "
        << axis_title({}, labels).english();
    EXPECT_EQ(labels.are_values(), labels.exponent == 0 && labels.offset == 0);
    const double step = axis.ticks[1] - axis.ticks[0];
    for (std::size_t k = 0; k < labels.texts.size(); ++k) {
      const double said = std::stod(labels.texts[k]) * std::pow(10.0, labels.exponent) + labels.offset;
      EXPECT_NEAR(said, axis.ticks[k], 0.02 * step + 4e-16 * std::abs(axis.ticks[k]))
          << labels.texts[k] << axis_title({}, labels).english();
      EXPECT_LE(labels.texts[k].size(), 9u) << labels.texts[k] << " from " << low << " to " << high;
    }
  }
}

TEST(Ticks, StateOffsetAndExponent) {
  EXPECT_EQ(tick_texts({16.69998, 16.7, 16.70002}).factor, "\u00d710\u207b\u2075");
  EXPECT_EQ(tick_texts({16.69998, 16.7, 16.70002}).reference, "16.7");
  EXPECT_EQ(tick_texts({0, 2e6, 4e6}).factor, "\u00d710\u2076");
  EXPECT_EQ(tick_texts({0, 2e6, 4e6}).texts, (std::vector<std::string>{"0", "2", "4"}));
  EXPECT_TRUE(tick_texts({0.98, 1.0}).are_values());
  EXPECT_EQ(power_text(-7), "10\u207b\u2077");
  EXPECT_EQ(power_text(5 + std::log10(2.0)), "2\u00d710\u2075");
  EXPECT_EQ(power_text(std::log10(0.05)), "0.05");
  EXPECT_EQ(power_text(3), "1000");
}

TEST(Ticks, DifferOnLogarithmicAxis) {
  for (double low = -9; low < 9; low += 0.37)
    for (const double span : {0.1, 0.4, 1.0, 1.6, 1.8, 4.0, 13.0}) {
      const Axis axis = make_axis(low, low + span, true, 6);
      const std::set<std::string> different(axis.labels.texts.begin(), axis.labels.texts.end());
      EXPECT_EQ(different.size(), axis.ticks.size()) << low << " and " << span;
    }
}

// ---- gauges ----

TEST(Gauges, TurnAmberNearLimitAndRedAtIt) {
  Gauge gauge;
  gauge.limit = 2;
  gauge.warn_at = 1.9;
  const auto color_at = [&](double value) {
    gauge.value = value;
    return gauge_color(gauge);
  };
  EXPECT_EQ(color_at(1.82), color::good);
  EXPECT_EQ(color_at(1.9), color::warning);
  EXPECT_EQ(color_at(1.99999), color::warning);
  EXPECT_EQ(gauge_numbers(gauge), "! 1.99999 of 2") << "near its limit, which is not said by colour alone";
  EXPECT_EQ(color_at(2), color::bad);
  EXPECT_EQ(color_at(std::nan("")), color::bad);
  gauge.measured = false;
  EXPECT_EQ(color_at(0), color::dim);
  EXPECT_EQ(gauge_numbers(gauge), "not measured yet");
}

// The warning zone begins where the physics is affected: no scene opens at a limit, and the vortex street is far from
// it.
TEST(Gauges, AreBelowLimitInEveryScene) {
  const auto backend = Backend::make_cpu(2);
  for (const SceneEntry& entry : tested_scenes()) {
    Scene scene = scene_of_width(entry.path(), 64, 24);
    const auto simulation = find_simulation(scene.setup.simulation).create(*backend, scene.setup);
    simulation->diagnostics(scene.view, true);
    for (const Gauge& gauge : simulation->gauges()) {
      if (gauge.advisory) continue;
      EXPECT_LE(gauge.warn_at, gauge.limit) << entry.path() << ", " << gauge.label;
      EXPECT_GT(gauge.warn_at, 0.1 * gauge.limit) << entry.path() << ", " << gauge.label;
      EXPECT_NE(gauge.level(), Gauge::Level::exceeded)
          << entry.path() << ": " << gauge.label << " " << gauge_numbers(gauge);
      if (entry.path() == "lbm/cylinder") {
        EXPECT_EQ(gauge_color(gauge), color::good) << gauge.label << " " << gauge_numbers(gauge);
      }
    }
  }
}

TEST(Gauges, ShowLowViscosityAsNearLimit) {
  const auto backend = Backend::make_cpu(2);
  auto scene = load_scene("lbm/cylinder");
  scene.setup.width = 96;
  scene.setup.height = 48;
  const SimulationInfo& info = find_simulation(scene.setup.simulation);
  for (const Parameter& p : info.parameters)
    if (p.id == "viscosity") scene.setup.parameters[p.id] = p.minimum;
  const auto simulation = info.create(*backend, scene.setup);
  simulation->diagnostics(scene.view, true);
  const std::vector<Gauge> gauges = simulation->gauges();
  const auto gauge = std::find_if(gauges.begin(), gauges.end(), [](const Gauge& g) { return g.id == "relaxation"; });
  ASSERT_NE(gauge, gauges.end());
  EXPECT_EQ(gauge_color(*gauge), gauge->value < gauge->limit ? color::warning : color::bad);
  EXPECT_NE(gauge_numbers(*gauge), "2 of 2");
}

// ---- labels ----

TEST(Labels, StandForParametersInEveryMessage) {
  const auto backend = Backend::make_cpu(1);
  for (const SimulationInfo* info : catalog()) {
    Scene scene = scene_of_width(info->id, 48);
    Experiment experiment(*backend, scene);
    Session session(experiment, 1);
    for (const Parameter& p : info->parameters) {
      session.post(ParameterChange{p.id, p.maximum + 1});
      session.handle({}, make_layout(1280, 720, 1, 1, true), Session::Keyboard::free);
      const std::string message = tr(session.parameters().error_of(p.id));
      EXPECT_NE(message.find(p.label), std::string::npos) << message;
      if (p.id.find('_') != std::string::npos) {
        EXPECT_EQ(message.find(p.id), std::string::npos) << message;
      }
    }
    for (const Gauge& gauge : experiment.simulation().gauges())
      for (const Parameter& p : info->parameters)
        if (p.id.find('_') != std::string::npos) {
          const std::string advice = tr(gauge_advice(gauge, info->parameters));
          EXPECT_EQ(advice.find(p.id), std::string::npos) << advice;
        }
  }
}

// ---- layout ----

TEST(Layouts, CoverWindowAtAnySize) {
  for (const int width : {360, 640, 800, 1024, 1280, 1920, 3840})
    for (const int height : {240, 360, 480, 768, 1080, 2160})
      for (const double scale : {0.6, 1.0, 1.5, 2.0, 3.9, 6.0}) {
        const Layout l = make_layout(width, height, 1, scale, true);
        ASSERT_TRUE(l.has_bars && l.has_column) << width << "x" << height << " at " << scale;
        EXPECT_EQ(l.is_drawer, l.handle.width > 0);
        EXPECT_GE(l.column.width, 335 * l.unit);
        EXPECT_GE(l.column.x, 0);
        EXPECT_GE(l.column.height, 100 * l.unit);
        EXPECT_LE(l.unit, scale);
        EXPECT_GE(l.view_rect.height, 100 * l.unit);
        // The drawer never covers the transport bar, and nothing covers the handle.
        if (l.is_drawer) {
          EXPECT_LE(l.column.y + l.column.height, l.transport.y);
          EXPECT_LE(l.column.x + l.column.width, l.handle.x);
        }
      }
  EXPECT_TRUE(make_layout(1024, 768, 1, 2, true).is_drawer);
  EXPECT_EQ(make_layout(1024, 768, 1, 2, true).unit, 2);
  EXPECT_FALSE(make_layout(1280, 720, 1, 1, true).is_drawer);
}

TEST(Ticks, TerminateForRangesBelowRounding) {
  for (const double low : {1e16, -1e16, 1e300, 1.0, 5e-324})
    EXPECT_LE(nice_ticks(low, std::nextafter(low, std::numeric_limits<double>::max()), 5).size(), 7u) << low;
}

}  // namespace
}  // namespace perturb
