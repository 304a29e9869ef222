// The simulation as a whole: gestures, saved states, rejected input.
#include "cuda/membrane/membrane.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb::membrane {
namespace {

class Membrane : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(std::map<std::string, double> parameters, std::vector<Action> actions = {}) {
    return create(backend(), setup_of("membrane", 64, 64, std::move(parameters), std::move(actions)));
  }
  static std::vector<double> samples(const Simulation& simulation) {
    return simulation.save().get<double>("u", {64, 64});
  }
  static Action at(const char* kind, double x, double y) { return {kind, {{"x", x}, {"y", y}}, "", nullptr}; }
};
PERTURB_ON_EACH_BACKEND(Membrane);

TEST_P(Membrane, ADraggedLoadTakesTheBulgeAlong) {
  const auto membrane = make({{"source_width", 0.05}});
  Gesture g;
  g.tool = "load";
  g.x = 0.25;
  g.y = 0.75;
  for (const Gesture::Phase phase : {Gesture::Phase::press, Gesture::Phase::move, Gesture::Phase::release}) {
    g.phase = phase;
    for (const Action& action : membrane->interpret(g)) membrane->apply(action);
    membrane->step(1);
    if (phase == Gesture::Phase::press) {
      g.x = 0.7;
      g.y = 0.3;
    }
  }
  const std::vector<double> u = samples(*membrane);
  const auto highest = std::max_element(u.begin(), u.end()) - u.begin();
  EXPECT_NEAR((highest % 64 + 0.5) / 64, 0.7, 0.03);
  EXPECT_NEAR((highest / 64 + 0.5) / 64, 0.3, 0.03);
  // The right button pulls.
  g.phase = Gesture::Phase::press;
  g.button = Gesture::Button::right;
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  membrane->step(1);
  const std::vector<double> pulled = samples(*membrane);
  for (std::size_t k = 0; k < u.size(); ++k) ASSERT_NEAR(pulled[k], -u[k], 1e-6 * u[static_cast<std::size_t>(highest)]);
}

TEST_P(Membrane, TheWheelAndTheFrequencyToolPlayTheFrequency) {
  const auto membrane = make({{"sigma", 0}, {"frequency", 5}, {"sweep_from", 2}, {"sweep_to", 12}});
  Gesture g;
  g.tool = "load";
  g.x = g.y = 0.5;
  g.phase = Gesture::Phase::scroll;
  g.scroll = 2;
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  EXPECT_GT(membrane->parameters().get("frequency"), 5);
  g.tool = "frequency";
  g.phase = Gesture::Phase::press;
  g.x = 0.3;
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  EXPECT_DOUBLE_EQ(membrane->parameters().get("frequency"), 2 + 0.3 * 10);
}

TEST_P(Membrane, ASweepDrawsTheResponseAndFindsTheModes) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  const auto membrane = make({{"level", 3},
                              {"degree", 4},
                              {"sigma", 0},
                              {"frequency", 4.2},
                              {"sweep", 1},
                              {"time_step", 0.01},
                              {"sweep_from", 4},
                              {"sweep_to", 5},
                              {"source_x", 0.4},
                              {"source_y", 0.45}});
  membrane->step(40);
  for (const Curve& curve : membrane->diagnostics({}, true).curves) {
    if (curve.id != "response") continue;
    ASSERT_GE(curve.points.size(), 40u);
    ASSERT_FALSE(curve.theory.empty());
    CurvePoint peak = curve.points.front();
    for (const CurvePoint& p : curve.points)
      if (p.y > peak.y) peak = p;
    EXPECT_NEAR(peak.x, std::numbers::sqrt2 * std::numbers::pi, 0.011) << "the frequencies are 0.01 apart";
    return;
  }
  FAIL() << "no response curve";
}

// At a mode there is no steady response: the mode's shape grows in proportion to time, and the gauge names it.
TEST_P(Membrane, AtAModeTheResponseGrows) {
  const auto membrane = make({{"level", 3},
                              {"degree", 4},
                              {"sigma", 0},
                              {"frequency", std::sqrt(5.0) * std::numbers::pi},
                              {"source_x", 0.3},
                              {"source_y", 0.3}});
  membrane->step(60);
  const double early = scalar(*membrane, "largest");
  membrane->step(60);
  EXPECT_NEAR(scalar(*membrane, "largest"), 2 * early, 1e-9 * early);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite);
  EXPECT_NE(membrane->gauges().front().label.english().find("(1, 2)"), std::string::npos)
      << membrane->gauges().front().label.english();
  EXPECT_GT(membrane->gauges().front().value, membrane->gauges().front().limit);
  // f t/(2 k) of the mode with the coefficient of the load: f_mn = 4 of the bump's integral against the mode, for both
  // of the modes (1, 2) and (2, 1), which respond equally to a load on the diagonal.
  const double t = membrane->time(), k = std::sqrt(5.0) * std::numbers::pi;
  const auto share = [](int m) {
    double sum = 0;
    for (int g = 0; g < 4000; ++g) {
      const double x = (g + 0.5) / 4000, r = (x - 0.3) / 0.1;
      sum += std::exp(-r * r) * std::sin(m * std::numbers::pi * x) / 4000;
    }
    return sum;
  };
  const double factor = 4 * share(1) * share(2) * t / (2 * k);
  double most = 0;
  for (int j = 0; j < 64; ++j)
    for (int i = 0; i < 64; ++i) {
      const double x = std::numbers::pi * (i + 0.5) / 64, y = std::numbers::pi * (j + 0.5) / 64;
      most = std::max(most, std::abs(factor * (std::sin(x) * std::sin(2 * y) + std::sin(2 * x) * std::sin(y))));
    }
  EXPECT_NEAR(scalar(*membrane, "largest"), most, 0.02 * most) << "the other modes are small compared with it";
  // Away from the mode the response is steady again.
  membrane->set_parameter("frequency", 6);
  membrane->step(1);
  EXPECT_LT(membrane->gauges().front().value, 1);
}

TEST_P(Membrane, FreeSidesAndNothingToHoldItGrowToo) {
  const auto membrane = make({{"level", 2},
                              {"sigma", 0},
                              {"boundary_left", 1},
                              {"boundary_right", 1},
                              {"boundary_bottom", 1},
                              {"boundary_top", 1}});
  membrane->step(10);
  const double early = scalar(*membrane, "largest");
  membrane->step(10);
  EXPECT_NEAR(scalar(*membrane, "largest"), 4 * early, 1e-6 * early) << "a free fall: t²/2";
}

TEST_P(Membrane, ManualRefinementSurvivesFiles) {
  Scene scene;
  perturb::Setup& setup = scene.setup;
  setup.simulation = "membrane";
  setup.width = setup.height = 64;
  setup.parameters = {{"level", 2}, {"degree", 2}};
  Experiment run(backend(), scene);
  for (const Action& action : {at("split", 0.3, 0.3), at("split", 0.3, 0.3), at("raise", 0.8, 0.8)})
    run.perform(action);
  run.advance(3);
  const State saved = run.simulation().save();
  EXPECT_EQ(saved.datasets.at("degree").shape[0], 16u + 3 + 3 + 3 * 3) << "the second cut takes three neighbours along";
  // Into a run that has another cover.
  Experiment other(backend(), scene);
  other.open(scene, saved);
  const State again = other.simulation().save();
  for (const auto& [name, data] : saved.datasets) EXPECT_TRUE(data.bytes == again.datasets.at(name).bytes) << name;
  // Back to the uniform cover.
  other.perform(Action{"even", {}, "", nullptr});
  other.advance(1);
  EXPECT_EQ(other.simulation().save().datasets.at("degree").shape[0], 16u);
}

TEST_P(Membrane, RejectsSavedFileWithInvalidCover) {
  const auto membrane = make({{"level", 2}});
  State state = membrane->save();
  const std::vector<double> before = samples(*membrane);
  std::vector<double> centers = state.get<double>("patch_center", {16, 2});
  centers[0] += 0.01;
  state.put<double>("patch_center", {16, 2}, "length", centers);
  EXPECT_THROW(membrane->load(state), InputError);
  // Twice the same patch.
  centers[0] -= 0.01;
  centers[2] = centers[0];
  centers[3] = centers[1];
  state.put<double>("patch_center", {16, 2}, "length", centers);
  EXPECT_THROW(membrane->load(state), InputError);
  EXPECT_EQ(samples(*membrane), before);
}

TEST_P(Membrane, SaysWhenItDoesNotConvergeAndKeepsTheLastSolution) {
  const auto membrane = make({{"level", 4}, {"preconditioner", 1}, {"solver", 1}});
  const std::vector<double> before = samples(*membrane);
  membrane->set_parameter("max_iterations", 2);
  membrane->apply(at("source", 0.2, 0.2));
  membrane->step(1);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite) << "the gauge comes first";
  const Gauge residual = gauge_of(*membrane, "residual");
  EXPECT_EQ(residual.level(), Gauge::Level::exceeded);
  EXPECT_NE(residual.help.english().find("2 iterations"), std::string::npos) << residual.help.english();
  EXPECT_EQ(samples(*membrane), before);
  // A saved state does not label the old solution as that of the new load.
  const auto other = make({{"level", 4}, {"preconditioner", 1}, {"solver", 1}});
  other->load(membrane->save());
  other->set_parameter("max_iterations", 2);
  other->apply(at("source", 0.2, 0.2));
  other->step(1);
  EXPECT_EQ(gauge_of(*other, "residual").level(), Gauge::Level::exceeded);
  membrane->step(59);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite);
  membrane->step(1);
  const Diagnostics d = membrane->diagnostics({}, true);
  EXPECT_FALSE(d.finite);
  EXPECT_NE(d.error.english().find("2 iterations"), std::string::npos) << d.error.english();
  EXPECT_NE(d.error.english().find("residual"), std::string::npos) << d.error.english();
  EXPECT_EQ(samples(*membrane), before);
  membrane->set_parameter("max_iterations", 1000);
  membrane->step(1);
  EXPECT_TRUE(membrane->diagnostics({}, true).finite);
  EXPECT_EQ(gauge_of(*membrane, "residual").level(), Gauge::Level::good);
  EXPECT_NE(samples(*membrane), before);
}

TEST_P(Membrane, ModesAreSolvedToTolerancesOfTheirOwn) {
  const auto modes = make({{"level", 3}, {"motion", 2}});
  for (int k = 0; k < 20; ++k) {
    modes->step(1);
    EXPECT_NE(gauge_of(*modes, "residual").level(), Gauge::Level::exceeded) << "step " << k;
  }
  const auto unconverged =
      make({{"level", 3}, {"motion", 2}, {"preconditioner", 0}, {"max_iterations", 1}, {"solver", 1}});
  unconverged->step(1);
  EXPECT_EQ(gauge_of(*unconverged, "residual").level(), Gauge::Level::exceeded);
}

// Between three quarters of the allowed iterations and all of them the solver still converges.
TEST_P(Membrane, IterationsThatHardlySufficeAreAmber) {
  const auto membrane = make({{"level", 4}, {"preconditioner", 1}, {"max_iterations", 1000}});
  EXPECT_EQ(gauge_of(*membrane, "residual").level(), Gauge::Level::good);
  const auto taken = static_cast<int>(scalar(*membrane, "iterations"));
  ASSERT_GT(taken, 8);
  const auto with_room = [&](int most) {
    return gauge_of(*make({{"level", 4}, {"preconditioner", 1}, {"max_iterations", most}, {"solver", 1}}), "residual")
        .level();
  };
  EXPECT_EQ(with_room(2 * taken), Gauge::Level::good);
  EXPECT_EQ(with_room(taken + 1), Gauge::Level::near);
  EXPECT_EQ(with_room(taken), Gauge::Level::near);
  EXPECT_EQ(with_room(taken / 2), Gauge::Level::exceeded);
}

TEST_P(Membrane, RejectsInvalidSetups) {
  for (const auto& [id, value] : std::vector<std::pair<std::string, double>>{{"overlap", 1},
                                                                             {"overlap", 2},
                                                                             {"overlap", 0.5},
                                                                             {"level", -1},
                                                                             {"level", 12},
                                                                             {"degree", 0},
                                                                             {"degree", 6},
                                                                             {"integration_level", 17}})
    EXPECT_THROW(make({{id, value}}), InputError) << id << ' ' << value;
  EXPECT_THROW(make({{"sweep", 1}, {"sweep_from", 5}, {"sweep_to", 5}}), InputError);
  // Names both numbers, before anything is allocated.
  const std::size_t before = backend().memory_in_use();
  const std::string error = error_thrown_by([&] { make({{"level", 11}, {"degree", 5}}); });
  EXPECT_NE(error.find("needs"), std::string::npos) << error;
  EXPECT_NE(error.find("are free"), std::string::npos) << error;
  EXPECT_EQ(backend().memory_in_use(), before);
}

// A live change of the overlap creates a new cover: the solution hardly changes, because both are near the exact one.
TEST_P(Membrane, ParametersChangeLive) {
  const auto membrane = make({{"level", 4}, {"degree", 3}});
  const std::vector<double> before = samples(*membrane);
  const double most = *std::max_element(before.begin(), before.end());
  for (const auto& [id, value] : std::vector<std::pair<std::string, double>>{{"overlap", 1.6},
                                                                             {"integration_level", 8},
                                                                             {"nitsche", 20},
                                                                             {"basis", 1},
                                                                             {"preconditioner", 1},
                                                                             {"basis", 0}}) {
    membrane->set_parameter(id, value);
    membrane->step(1);
    const std::vector<double> now = samples(*membrane);
    for (std::size_t k = 0; k < now.size(); ++k) ASSERT_NEAR(now[k], before[k], 2e-3 * most) << id;
  }
  EXPECT_THROW(membrane->set_parameter("level", 5), InputError);
}

// On the CPU, rows of pixels are painted at once: the image agrees with the value at each pixel.
TEST_P(Membrane, ThePictureShowsTheField) {
  for (const bool refined : {false, true}) {
    const auto membrane =
        make({{"level", 3}, {"degree", 3}, {"overlap", 1.7}, {"source_x", 0.4}, {"source_width", 0.07}},
             refined ? std::vector<Action>{at("split", 0.4, 0.5)} : std::vector<Action>{});
    constexpr int width = 50, height = 50;
    std::vector<std::uint32_t> ramp(4096);
    for (std::size_t k = 0; k < ramp.size(); ++k) ramp[k] = static_cast<std::uint32_t>(k) | 0xff000000u;
    const ColorTable table(backend(), Colormap{"ramp", ramp});
    Field<std::uint32_t> picture(backend(), width, height, "picture");
    ViewSettings view;
    view.quantity = "amplitude";
    view.minimum = 0;
    view.maximum = 1.01 * scalar(*membrane, "largest");
    membrane->paint(picture.view(), Camera{}, view, table);
    const std::vector<std::uint32_t> pixels = picture.download();
    int compared = 0;
    for (int j = 1; j < height; j += 3)
      for (int i = 1; i < width; i += 3) {
        const double x = (i + 0.5) / width, y = (j + 0.5) / height;
        if (std::abs(std::hypot(x - 0.4, y - 0.5) - 0.07) < 0.06) continue;  // the ring around the load
        const double value = std::stod(membrane->value_at(x, y, view).english());
        EXPECT_NEAR(pixels[static_cast<std::size_t>(j * width + i)] & 0xffffu, value / view.maximum * 4096, 2.5)
            << x << ' ' << y;
        ++compared;
      }
    EXPECT_GT(compared, 200);
  }
}

TEST_P(Membrane, TheTheoryChecksPass) {
  SKIP_AT_SMALL_REACH("a comparison with theory; smaller tests run the same kernels");
  const std::vector<TheoryCheck> checks = verify(in_one_thread(), false);
  EXPECT_GT(checks.size(), 40u);
  for (const TheoryCheck& check : checks)
    EXPECT_TRUE(check.pass()) << check.name << ": " << check.got << " instead of " << check.expected;
}

}  // namespace
}  // namespace perturb::membrane
