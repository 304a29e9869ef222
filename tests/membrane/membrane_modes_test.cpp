// The membrane's own modes: compared with theory, shown by number, found again when the matrices change.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/membrane/measure/gauges.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/modes.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

class MembraneModes : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> modal(std::map<std::string, double> more = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {{"level", 2}, {"degree", 4}, {"sigma", 0}, {"motion", 2}, {"time_step", 0.01}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    return create(backend(), setup);
  }
  static double shown(Simulation& membrane, double x, double y) {
    ViewSettings view;
    view.quantity = "amplitude";
    return std::stod(membrane.value_at(x, y, view).english());
  }
};
PERTURB_ON_EACH_BACKEND(MembraneModes);

TEST(MembraneDenseModes, SolveGeneralisedProblem) {
  // h = diag(2, 3, 1) in the basis (1, 1, 0), (0, 1, 2), (0, 0, 1), with g the Gram matrix of this basis.
  const double b[3][3] = {{1, 1, 0}, {0, 1, 2}, {0, 0, 1}}, values_of_h[3] = {2, 3, 1};
  std::vector<double> h(9), g(9), values, columns;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) {
        h[3 * i + j] += b[i][k] * values_of_h[k] * b[j][k];
        g[3 * i + j] += b[i][k] * b[j][k];
      }
  dense_modes(h, g, 3, values, columns);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(values[j], static_cast<double>(j + 1), 1e-13);
    for (std::size_t i = 0; i < 3; ++i) {
      double left = 0, right = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        left += h[3 * i + k] * columns[3 * k + j];
        right += values[j] * g[3 * i + k] * columns[3 * k + j];
      }
      EXPECT_NEAR(left, right, 1e-12);
    }
  }
}

TEST_P(MembraneModes, ListsModesNextToTheoryAndFirstIsASine) {
  const auto membrane = modal();
  membrane->step(60);
  const Diagnostics d = membrane->diagnostics({}, true);
  EXPECT_TRUE(d.finite) << d.error;
  const Curve* list = d.curve("modes");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->points.size(), static_cast<std::size_t>(Modes::count));
  const int sums[] = {2, 5, 5, 8, 10, 10, 13, 13, 17, 17, 18, 20, 20, 25, 25, 26};  // m² + n², computed manually
  for (std::size_t k = 0; k < list->points.size(); ++k) {
    EXPECT_NEAR(list->theory[k].y, std::numbers::pi * std::sqrt(sums[k]), 1e-12);
    EXPECT_NEAR(list->points[k].y / list->theory[k].y, 1, k < 4 ? 1e-4 : 3e-3) << k + 1;
  }
  for (const double x : {0.2, 0.5})
    EXPECT_NEAR(shown(*membrane, x, 0.4), std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * 0.4), 1e-3);
}

TEST_P(MembraneModes, FreeBoundaryHasConstantModeAtSqrtSigma) {
  const auto membrane =
      modal({{"boundary_left", 1}, {"boundary_right", 1}, {"boundary_bottom", 1}, {"boundary_top", 1}, {"sigma", 4}});
  membrane->step(40);
  EXPECT_NEAR(scalar(*membrane, "mode_frequency"), 2, 1e-6) << "sqrt(sigma)";
  EXPECT_NEAR(shown(*membrane, 0.1, 0.9), 0.5, 1e-3) << "even all over";
}

// A range of 1e-30 would be written on the colour bar.
TEST_P(MembraneModes, HasNoRangeBeforeItMoves) {
  const auto membrane = modal();
  for (const char* quantity : {"displacement", "amplitude"}) {
    ViewSettings view;
    view.quantity = quantity;
    const Diagnostics d = membrane->diagnostics(view, true);
    EXPECT_EQ(d.minimum, d.maximum) << quantity;
  }
}

// The first steps of the search are far off: the frequency would be up to 20 % too high.
TEST_P(MembraneModes, AFrequencyIsShownWhenItIsAccurate) {
  const auto membrane = modal({{"level", 3}, {"boundary_left", 1}, {"mode_number", 15}});
  std::vector<double> shown, listed;
  for (int step = 0; step < 60; ++step) {
    membrane->step(1);
    const Diagnostics d = membrane->diagnostics({}, true);
    for (const Scalar& scalar : d.scalars)
      if (scalar.id == "mode_frequency" && std::isfinite(scalar.value)) shown.push_back(scalar.value);
    for (const CurvePoint& point : d.curve("modes")->points)
      if (point.x == 15) listed.push_back(point.y);
    if (step == 0) {
      EXPECT_TRUE(shown.empty() && listed.empty());
    }
  }
  ASSERT_FALSE(shown.empty());
  for (const double frequency : shown) EXPECT_NEAR(frequency / shown.back(), 1, 2e-4);
  EXPECT_EQ(listed, shown);
  EXPECT_NEAR(shown.back() / (std::numbers::pi * std::sqrt(4.5 * 4.5 + 1)), 1, 3e-3);
}

TEST_P(MembraneModes, ADragAndTheWheelChooseOne) {
  const auto membrane = modal();
  Gesture g;
  g.tool = "frequency";
  g.x = 3.4 / 16;
  g.y = 0.5;
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  EXPECT_EQ(membrane->parameters().get("mode_number"), 4);
  g.phase = Gesture::Phase::scroll;
  g.scroll = -1;
  for (int k = 0; k < 5; ++k)
    for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  EXPECT_EQ(membrane->parameters().get("mode_number"), 1) << "and none below";
  membrane->set_parameter("mode_number", 4);
  membrane->step(60);
  EXPECT_NEAR(scalar(*membrane, "mode_frequency"), std::sqrt(8) * std::numbers::pi, 1e-3);
  // (1, 2) and (2, 1) have one frequency: each is shown as itself, not as a mixture, and with positive sign.
  for (const bool second : {false, true}) {
    membrane->set_parameter("mode_number", second ? 3 : 2);
    membrane->step(1);
    const double x = 0.2, y = 0.37, pi = std::numbers::pi;
    EXPECT_NEAR(shown(*membrane, x, y), std::sin((second ? 2 : 1) * pi * x) * std::sin((second ? 1 : 2) * pi * y),
                2e-3);
  }
  membrane->set_parameter("mode_number", 4);
  membrane->step(1);
  EXPECT_NE(membrane->gauges().front().label.english().find("(2, 2)"), std::string::npos);
  EXPECT_LT(membrane->gauges().front().value, 1e-4);
  g.tool = "load";
  g.phase = Gesture::Phase::press;
  EXPECT_THROW(membrane->interpret(g), InputError);
}

// The prediction of the gauge of waves, compared with the actual error of the modes.
TEST_P(MembraneModes, WaveGaugeMatchesErrorOfScheme) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (int degree = 1; degree <= 4; ++degree) {
    const auto membrane = modal({{"level", 3}, {"degree", degree}, {"tolerance", 1e-10}, {"integration_level", 8}});
    membrane->step(60);
    const Diagnostics d = membrane->diagnostics({}, true);
    for (const std::size_t k : {std::size_t{3}, std::size_t{15}}) {
      const double omega = d.curve("modes")->theory[k].y, found = d.curve("modes")->points[k].y;
      EXPECT_NEAR(std::log2((found / omega - 1) / wave_error(omega, 0.125, degree)), 0, 2)
          << "p = " << degree << ", mode " << k + 1;
    }
  }
  // In a run: amber and red if the frequency is too high for the cover.
  const auto level = [&](double k) {
    return gauge_of(*modal({{"motion", 0}, {"degree", 2}, {"frequency", k}}), "waves").level();
  };
  EXPECT_EQ(level(3), Gauge::Level::good);
  EXPECT_EQ(level(6), Gauge::Level::near) << "(k h)⁴/1440 = 0.0035";
  EXPECT_EQ(level(9), Gauge::Level::exceeded);
}

TEST_P(MembraneModes, KeepsModesUntilMatricesChange) {
  SKIP_AT_SMALL_REACH("the largest of several sizes");
  const auto membrane = modal();
  membrane->step(80);
  const std::vector<std::byte> found = membrane->save().datasets.at("modes").bytes;
  membrane->step(3);
  EXPECT_TRUE(membrane->save().datasets.at("modes").bytes == found) << "settled";
  membrane->set_parameter("boundary_left", 1);
  membrane->step(80);
  EXPECT_NEAR(scalar(*membrane, "mode_frequency"), std::sqrt(1.25) * std::numbers::pi, 1e-4)
      << "a quarter wave across, half a wave up";
  membrane->apply(Action{"split", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
  membrane->step(80);
  EXPECT_NEAR(scalar(*membrane, "mode_frequency"), std::sqrt(1.25) * std::numbers::pi, 1e-4) << "on another cover";
}

TEST_P(MembraneModes, GaugeSaysNotMeasuredUntilTheyAreFound) {
  const auto membrane = modal({{"level", 2}, {"degree", 1}, {"solver", 1}});
  const auto gauge = [&] { return membrane->gauges().front(); };
  EXPECT_FALSE(gauge().measured);
  EXPECT_EQ(gauge().level(), Gauge::Level::unknown);
  membrane->step(1);
  EXPECT_FALSE(gauge().measured) << "still being found";
  for (int k = 0; k < 400 && !gauge().measured; ++k) membrane->step(1);
  EXPECT_EQ(gauge().level(), Gauge::Level::exceeded) << gauge().value;
}

// A cover of few unknowns has few modes.
TEST_P(MembraneModes, SmallestCoversAreSavedAndLoaded) {
  for (const double degree : {1.0, 2.0, 4.0})
    for (const double number : {1.0, 4.0, 16.0}) {
      SCOPED_TRACE("degree " + std::to_string(degree) + ", mode " + std::to_string(number));
      const std::map<std::string, double> small = {{"level", 0}, {"degree", degree}, {"mode_number", number}};
      const auto membrane = modal(small);
      membrane->step(20);
      const State state = membrane->save();
      for (const auto& [name, data] : state.datasets) {
        if (data.type != ElementType::float64) continue;
        for (const double value : state.get<double>(name, data.shape)) ASSERT_TRUE(std::isfinite(value)) << name;
      }
      const auto again = modal(small);
      again->load(state);
      membrane->step(3);
      again->step(3);
      EXPECT_EQ(again->save().datasets.at("coefficients").bytes, membrane->save().datasets.at("coefficients").bytes);
      const Gauge gauge = membrane->gauges().front();
      EXPECT_EQ(gauge.measured, number <= (degree + 1) * (degree + 2) / 2) << gauge.help;
    }
}

}  // namespace
}  // namespace perturb::membrane
