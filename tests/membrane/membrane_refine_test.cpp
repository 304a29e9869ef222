// Refinement by an estimate of the error: where it refines, what it rejects, and that its curves are saved.
#include <cmath>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/membrane/measure/estimate.h"
#include "cuda/membrane/membrane.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb::membrane {
namespace {

class MembraneRefine : public OnEachBackend {
 protected:
  static perturb::Setup setup(std::map<std::string, double> more = {}) {
    perturb::Setup s = setup_of("membrane", 32, 32, {{"level", 2}, {"degree", 1}, {"tolerance", 1e-9}});
    for (const auto& [id, value] : more) s.parameters[id] = value;
    return s;
  }
  static Scene scene(std::map<std::string, double> more = {}) {
    Scene begun;
    begun.setup = setup(std::move(more));
    return begun;
  }
  static Action refine(double by, double share = 0.6) {
    return {"refine", {{"by", by}, {"share", share}}, "", nullptr};
  }
  static Curve curve(Simulation& membrane, const std::string& id) {
    for (const Curve& c : membrane.diagnostics({}, true).curves)
      if (c.id == id) return c;
    return {};
  }
};
PERTURB_ON_EACH_BACKEND(MembraneRefine);

TEST_P(MembraneRefine, ItGoesToANarrowLoad) {
  const auto membrane = create(backend(), setup({{"source_x", 0.3}, {"source_y", 0.68}, {"source_width", 0.05}}));
  for (int k = 0; k < 5; ++k) membrane->apply(refine(0));
  const State state = membrane->save();
  const std::size_t patches = state.datasets.at("degree").shape[0];
  const auto centers = state.get<double>("patch_center", {patches, 2});
  const auto halves = state.get<double>("patch_half_width", {patches});
  double near = 1, far = 0;
  for (std::size_t k = 0; k < patches; ++k) {
    const double away = std::hypot(centers[2 * k] - 0.3, centers[2 * k + 1] - 0.68);
    if (away < 0.1) near = std::min(near, halves[k]);
    if (away > 0.5) far = std::max(far, halves[k]);
  }
  EXPECT_LE(near, far / 8) << "three levels finer at least";
}

TEST_P(MembraneRefine, TheCurvesShowEstimateAndErrorForEachWay) {
  Experiment run(backend(), scene({{"load", 1}}));
  for (int way = 0; way < 3; ++way) {
    for (int k = 0; k < 2; ++k) run.perform(refine(way));
    run.perform(Action{"even", {}, "", nullptr});
    run.advance(1);
  }
  for (const char* id : {"convergence_h", "convergence_p", "convergence_hp"}) {
    const Curve c = curve(run.simulation(), id);
    ASSERT_EQ(c.points.size(), 3u) << id;
    ASSERT_EQ(c.theory.size(), 3u) << id;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(c.points[k].y, c.theory[k].y, 0.35) << id << ": the estimate is within a factor of two";
    for (std::size_t k = 1; k < 3; ++k) {
      EXPECT_LT(c.points[k].y, c.points[k - 1].y) << id;
      EXPECT_GT(c.points[k].x, c.points[k - 1].x) << id;
    }
  }
  // Files contain the curves, and another problem restarts them.
  const State saved = run.simulation().save();
  Experiment other(backend(), scene({{"load", 1}}));
  other.open(scene({{"load", 1}}), saved);
  EXPECT_EQ(curve(other.simulation(), "convergence_p").points.size(), 3u);
  other.set_parameter("mode_x", 3);
  other.perform(refine(2));
  EXPECT_TRUE(curve(other.simulation(), "convergence_p").points.empty());
  EXPECT_EQ(curve(other.simulation(), "convergence_hp").points.size(), 2u);
}

TEST_P(MembraneRefine, EstimatesDampedResponseWithQuadrature) {
  Parameters p;
  p.sigma = 0;
  p.frequency = 5;
  p.damping = 2;
  p.source_width = 0.3;
  // The estimate of a coarse cover, compared with the difference to a fine one's response.
  double estimates[2] = {};
  for (const int level : {2, 3}) {
    Discretisation d(backend(), Cover(level, 2), p);
    d.enable_quadrature();
    const Form form = membrane_form(p, 2);
    d.assemble(Kernel::tensor, form, true, true);
    d.solver().prepare(d.matrix(std::abs(p.shift())), form, p.preconditioner);
    ASSERT_TRUE(d.solve_complex(p.shift(), p.damping * p.frequency, {p.preconditioner, 1e-10, 1000}).converged);
    estimates[level - 2] = membrane_estimate(backend(), d, p).total();
  }
  EXPECT_NEAR(std::log2(estimates[0] / estimates[1]), 2, 0.35) << "order p = 2 in the energy norm";
}

TEST_P(MembraneRefine, RejectsUnsupportedEstimates) {
  const auto high = create(backend(), setup({{"degree", 5}}));
  EXPECT_THROW(high->apply(refine(0)), InputError);
  const auto four = create(backend(), setup({{"degree", 4}}));
  EXPECT_THROW(four->apply(refine(1)), InputError);
  EXPECT_EQ(four->save().datasets.at("degree").shape[0], 16u);
  EXPECT_NO_THROW(four->apply(refine(2))) << "both: it splits";
  EXPECT_GT(four->save().datasets.at("degree").shape[0], 16u);
  const auto moving = create(backend(), setup({{"motion", 1}}));
  EXPECT_THROW(moving->apply(refine(2)), InputError);
}

TEST_P(MembraneRefine, TheToolRefinesAndTheRightButtonGoesBack) {
  const auto membrane = create(backend(), setup());
  Gesture g;
  g.tool = "refine";
  g.x = g.y = 0.5;
  g.brush = {{"by", 1}, {"share", 1}};
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  membrane->step(1);
  EXPECT_EQ(scalar(*membrane, "unknowns"), 16 * 6) << "every patch has p = 2";
  g.button = Gesture::Button::right;
  for (const Action& action : membrane->interpret(g)) membrane->apply(action);
  membrane->step(1);
  EXPECT_EQ(scalar(*membrane, "unknowns"), 16 * 3);
}

}  // namespace
}  // namespace perturb::membrane
