// The damped steady response: its peak is finite, it lags behind the load, it is shown in motion, and it is saved.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/membrane/membrane.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

constexpr double lowest = std::numbers::sqrt2 * std::numbers::pi;

class MembraneDamped : public OnEachBackend {
 protected:
  static perturb::Setup setup(std::map<std::string, double> more = {}) {
    perturb::Setup s;
    s.simulation = "membrane";
    s.width = s.height = 32;
    s.parameters = {{"level", 2}, {"degree", 4}, {"sigma", 0}, {"damping", 0.5}, {"frequency", lowest}};
    for (const auto& [id, value] : more) s.parameters[id] = value;
    return s;
  }
  static Scene scene(std::map<std::string, double> more = {}) {
    Scene begun;
    begun.setup = setup(std::move(more));
    return begun;
  }
  std::unique_ptr<Simulation> drum(std::map<std::string, double> more = {}) {
    return create(backend(), setup(std::move(more)));
  }
  static double shown(Simulation& membrane, const char* quantity, double x, double y) {
    ViewSettings view;
    view.quantity = quantity;
    return std::stod(membrane.value_at(x, y, view).english());
  }
};
PERTURB_ON_EACH_BACKEND(MembraneDamped);

TEST_P(MembraneDamped, AtAModeItIsSteadyAndLagsByAQuarterTurn) {
  const auto membrane = drum({{"source_width", 0.3}});
  membrane->step(5);
  const double early = scalar(*membrane, "largest");
  membrane->step(50);
  EXPECT_EQ(scalar(*membrane, "largest"), early) << "it does not grow";
  EXPECT_NEAR(scalar(*membrane, "phase"), 90, 3) << "the other modes' part is not turned";
  EXPECT_LT(membrane->gauges().front().value, 1);
  // Twice the damping: half the peak.
  EXPECT_NEAR(scalar(*drum({{"source_width", 0.3}, {"damping", 1}}), "response"), 0.5 * scalar(*membrane, "response"),
              0.01 * scalar(*membrane, "response"));
}

// The load follows cos(k t). With a phase lag of 90 degrees the membrane passes through zero at t = 0 and reaches its
// maximum a quarter of a period later.
TEST_P(MembraneDamped, ThePictureMovesAQuarterTurnBehindTheLoad) {
  const double period = 2 * std::numbers::pi / lowest;
  const auto membrane = drum({{"source_width", 0.3}, {"time_step", period / 8}});
  const double amplitude = shown(*membrane, "amplitude", 0.5, 0.5);
  EXPECT_NEAR(shown(*membrane, "displacement", 0.5, 0.5), 0, 0.06 * amplitude);
  membrane->step(2);
  EXPECT_NEAR(shown(*membrane, "displacement", 0.5, 0.5), amplitude, 0.01 * amplitude);
  EXPECT_NEAR(shown(*membrane, "amplitude", 0.5, 0.5), amplitude, 1e-12);
  membrane->step(4);
  EXPECT_NEAR(shown(*membrane, "displacement", 0.5, 0.5), -amplitude, 0.01 * amplitude);
}

TEST_P(MembraneDamped, SweepPlotsResponseAndLagWithTheory) {
  SKIP_UNDER_SANITIZERS("digits of solutions; smaller tests run the same kernels");
  const auto membrane = drum({{"frequency", 4}, {"sweep", 1}, {"sweep_from", 4}, {"sweep_to", 5}, {"time_step", 0.05}});
  membrane->step(18);
  int found = 0;
  for (const Curve& curve : membrane->diagnostics({}, true).curves) {
    if (curve.id != "response" && curve.id != "phase") continue;
    ++found;
    ASSERT_GE(curve.points.size(), 18u) << curve.id;
    for (const CurvePoint& p : curve.points) {
      // The points of the theory are close to each other: takes the nearest, and the change of the curve over half of
      // their distance.
      double nearest = 1e9, theory = 0;
      for (const CurvePoint& t : curve.theory)
        if (std::abs(t.x - p.x) < nearest) {
          nearest = std::abs(t.x - p.x);
          theory = t.y;
        }
      EXPECT_NEAR(p.y, theory, curve.id == "phase" ? 0.6 : 0.01) << curve.id << " at " << p.x;
    }
  }
  EXPECT_EQ(found, 2);
}

TEST_P(MembraneDamped, SavesQuadratureOnlyWithDampingAndResumes) {
  EXPECT_FALSE(drum({{"damping", 0}, {"frequency", 3}})->save().has("lag"));
  Experiment run(backend(), scene());
  run.advance(2);
  run.set_parameter("damping", 0);  // not solved yet
  const State saved = run.simulation().save();
  ASSERT_TRUE(saved.has("lag"));
  Experiment other(backend(), scene());
  other.open(scene({{"damping", 0}}), saved);
  for (const auto& [name, data] : saved.datasets)
    EXPECT_TRUE(data.bytes == other.simulation().save().datasets.at(name).bytes) << name;
  // A new cover is shown before it is solved.
  other.perform(Action{"split", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
  EXPECT_TRUE(std::isfinite(shown(other.simulation(), "displacement", 0.4, 0.4)));
}

TEST_P(MembraneDamped, OtherLoadStartsNewCurve) {
  const auto membrane = drum({{"sweep", 1}, {"sweep_from", 4}, {"sweep_to", 5}});
  membrane->step(4);
  const auto points = [&] { return membrane->diagnostics({}, true).curves.front().points.size(); };
  EXPECT_EQ(points(), 5u);
  membrane->apply(Action{"source", {{"x", 0.2}, {"y", 0.7}}, "", nullptr});
  membrane->step(1);
  EXPECT_EQ(points(), 1u);
}

}  // namespace
}  // namespace perturb::membrane
