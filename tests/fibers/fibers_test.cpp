// The fibers against the method's reference figures and against theory, on each backend.
#include "cuda/fibers/fibers.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/plan.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/setup_of.h"
#include "tests_places.h"

namespace perturb::fibers {
namespace {

using nlohmann::json;

// Of the largest number: the reference used the same formulas in another order.
constexpr double coefficients_tolerance = 1e-10, velocity_tolerance = 1e-10, tensor_tolerance = 1e-12,
                 trajectory_tolerance = 1e-8;
// Rounding of the interaction to single precision, as measured for the method.
constexpr double single_tolerance = 5e-7;

void flatten(const json& from, std::vector<double>& to) {
  if (from.is_array())
    for (const json& part : from) flatten(part, to);
  else
    to.push_back(from.get<double>());
}
std::vector<double> numbers(const json& from) {
  std::vector<double> to;
  flatten(from, to);
  return to;
}

const json& reference() {
  static const json cases = [] {
    std::ifstream file(std::string(PERTURB_SOURCE_DIR) + "/tests/fibers/cases.json");
    return json::parse(file);
  }();
  return cases;
}

class FiberReference : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberReference);

TEST_P(FiberReference, BothWays) {
  Parameters p = precise_fibers();
  p.pairing = Pairing::both;
  for (const json& c : reference()["cases"]) {
    const Evaluation e = evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, p);
    EXPECT_LT(largest_relative_difference(e.coefficients, numbers(c["a"])), coefficients_tolerance) << c["name"];
    EXPECT_LT(largest_relative_difference(e.velocity, numbers(c["xdot"])), velocity_tolerance) << c["name"];
    EXPECT_LT(largest_relative_difference(e.spin, numbers(c["tdot"])), velocity_tolerance) << c["name"];
  }
}

TEST_P(FiberReference, Mirrored) {
  for (const json& c : reference()["cases"]) {
    const Evaluation e = evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, precise_fibers());
    EXPECT_FALSE(e.solve.indefinite);
    const json& expected = c["variant_mirror"];
    EXPECT_LT(largest_relative_difference(e.coefficients, numbers(expected["a"])), coefficients_tolerance) << c["name"];
    EXPECT_LT(largest_relative_difference(e.velocity, numbers(expected["xdot"])), velocity_tolerance) << c["name"];
    EXPECT_LT(largest_relative_difference(e.spin, numbers(expected["tdot"])), velocity_tolerance) << c["name"];
  }
}

TEST_P(FiberReference, FineOuterRule) {
  Parameters p = precise_fibers();
  p.pairing = Pairing::both;
  p.subintervals = 16;
  p.points_per_subinterval = 4;
  for (const json& c : reference()["cases"]) {
    const Evaluation e = evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, p);
    // Two fine rules, 16 x 4 here and 24 x 6 there.
    EXPECT_LT(largest_relative_difference(e.velocity, numbers(c["variant_outer_24x6"]["xdot"])), 1e-6) << c["name"];
  }
}

TEST_P(FiberReference, TensorsOfAPair) {
  for (const json& c : reference()["cases"]) {
    if (!c.contains("Theta_0_1")) continue;
    const Evaluation e =
        evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, precise_fibers(), Kernel::stable, true);
    EXPECT_LT(largest_relative_difference(e.tensors, numbers(c["Theta_0_1"])), tensor_tolerance) << c["name"];
  }
}

TEST_P(FiberReference, SinglePrecision) {
  Parameters p = precise_fibers();
  p.precision = Precision::fp32;
  for (const json& c : reference()["cases"]) {
    const Evaluation e = evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, p);
    EXPECT_LT(largest_relative_difference(e.velocity, numbers(c["variant_mirror"]["xdot"])), single_tolerance)
        << c["name"];
  }
}

TEST_P(FiberReference, PublishedStarts) {
  for (const json& c : reference()["cases"]) {
    const Evaluation e =
        evaluate_fibers(backend(), {numbers(c["x"]), numbers(c["t"])}, precise_fibers(), Kernel::recursion);
    EXPECT_LT(largest_relative_difference(e.velocity, numbers(c["variant_mirror"]["xdot"])), 1e-7) << c["name"];
  }
}

TEST_P(FiberReference, TenSteps) {
  const struct {
    const char* name;
    double dt;
    Scheme scheme;
  } runs[] = {{"after10_tg2_dt0.1", 0.1, Scheme::two_step},
              {"after10_ab2_dt0.1", 0.1, Scheme::adams_bashforth},
              {"after10_tg2_dt0.5", 0.5, Scheme::two_step}};
  for (const json& c : reference()["cases"])
    for (const auto& run : runs) {
      if (!c.contains(run.name)) continue;
      const std::vector<double> x = numbers(c["x"]), t = numbers(c["t"]);
      const std::size_t fibers = x.size() / 3;
      perturb::Setup setup = setup_of("fibers", static_cast<int>(fibers), 0,
                                      {{"time_step", run.dt},
                                       {"scheme", static_cast<double>(run.scheme)},
                                       {"tolerance", 1e-12},
                                       {"min_distance", 0},
                                       {"pairing", static_cast<double>(Pairing::both)}});
      const auto simulation = fibers_simulation().create(backend(), setup);
      simulation->select_kernel("stable");  // the reference has closed forms
      State state = simulation->save();
      for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
      state.put<double>("position", {fibers, 3}, "length", x);
      state.put<double>("tangent", {fibers, 3}, "", t);
      simulation->load(state);
      simulation->step(10);
      const State end = simulation->save();
      EXPECT_LT(largest_relative_difference(end.get<double>("position", {fibers, 3}), numbers(c[run.name]["x"])),
                trajectory_tolerance)
          << c["name"] << run.name;
      EXPECT_LT(largest_relative_difference(end.get<double>("tangent", {fibers, 3}), numbers(c[run.name]["t"])),
                trajectory_tolerance)
          << c["name"] << run.name;
    }
}

TEST(FiberCell, InnerIntegralIsExact) {
  for (const json& point : reference()["inner_points"]["points"]) {
    const std::vector<double> r = numbers(point["R0"]), t = numbers(point["t"]), expected = numbers(point["G"]);
    double g[6][tensor];
    inner_integral<Starts::stable, 5>(Vector3<double>{r[0], r[1], r[2]}, Vector3<double>{t[0], t[1], t[2]}, 2e-4,
                                      last_moment, g);
    double scale = 0;
    for (int c = 0; c < tensor; ++c) scale = std::max(scale, std::abs(expected[static_cast<std::size_t>(c)]));
    for (int k = 0; k <= 5; ++k)
      for (int c = 0; c < tensor; ++c)
        EXPECT_NEAR(g[k][c], expected[static_cast<std::size_t>(6 * k + c)], 1e-11 * scale)
            << point["R0"] << " k " << k << " c " << c;
  }
}

TEST(FiberCell, SinglePrecisionKeepsItsDigits) {
  // The largest error over |G_0| that the method's page allows for these starts in single precision.
  for (int place = 0; place < 400; ++place) {
    const Vector3<double> u = random_direction(3, 1, static_cast<std::uint64_t>(place));
    const double distance = 0.3 * std::pow(100.0, place / 400.0);
    const Vector3<double> t{0.48, 0.6, 0.64};
    double exact[6][tensor];
    float g[6][tensor];
    inner_integral<Starts::stable, 5>(Vector3<double>{distance * u.x, distance * u.y, distance * u.z}, t, 2e-4,
                                      last_moment, exact);
    inner_integral<Starts::stable, 5>(
        Vector3<float>{static_cast<float>(distance * u.x), static_cast<float>(distance * u.y),
                       static_cast<float>(distance * u.z)},
        Vector3<float>{0.48f, 0.6f, 0.64f}, 2e-4f, last_moment, g);
    double scale = 0, most = 0;
    for (int c = 0; c < tensor; ++c) scale = std::max(scale, std::abs(exact[0][c]));
    for (int k = 0; k <= 5; ++k)
      for (int c = 0; c < tensor; ++c) most = std::max(most, std::abs(exact[k][c] - static_cast<double>(g[k][c])));
    EXPECT_LT(most / scale, 1e-4) << "distance " << distance;
  }
}

TEST(FiberCell, ConstantsAreTheReferences) {
  const FiberConstants c(0.01, 5);
  EXPECT_NEAR(c.d, reference()["constants"]["d"].get<double>(), 1e-14);
  EXPECT_NEAR(c.along_inverse, reference()["constants"]["D1"].get<double>(), 1e-15);
  for (std::size_t n = 2; n <= 5; ++n) {
    EXPECT_NEAR(c.gamma[n], numbers(reference()["constants"]["gamma"])[n], 1e-14);
    EXPECT_NEAR(c.e[n], numbers(reference()["constants"]["E"])[n], 1e-14);
  }
  const FiberRule rule = make_fiber_rule(8, 3);
  for (std::size_t q = 0; q < 24; ++q) {
    EXPECT_NEAR(rule.node[q], numbers(reference()["quadrature"]["s"])[q], 1e-15);
    EXPECT_NEAR(rule.weight[q][0], numbers(reference()["quadrature"]["w"])[q], 1e-15);
  }
}

class FiberFlowTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberFlowTest);

// The scenes' long runs are verify's (--long): here some steps of them, and none at small reach.
TEST_P(FiberFlowTest, TheoryHolds) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  std::vector<TheoryCheck> checks = fibers_simulation().verify(backend(), false);
  if (!has_small_reach()) {
    checks.push_back(check_order(backend(), 2));
    checks.push_back(check_scene_overlaps(backend(), false, 2));
    checks.push_back(check_scene_overlaps(backend(), true, 1));
  }
  for (const TheoryCheck& check : checks)
    EXPECT_TRUE(check.pass()) << check.name << ": expected " << check.expected << ", got " << check.got;
}

TEST_P(FiberFlowTest, RecomputedIsStored) {
  const Placement fibers = fiber_cloud(70, 4, 0.1, 2);
  Parameters p = precise_fibers();
  const Evaluation stored = evaluate_fibers(backend(), fibers, p);
  p.storage = Storage::recomputed;
  EXPECT_LT(largest_relative_difference(evaluate_fibers(backend(), fibers, p).velocity, stored.velocity), 1e-12);
}

TEST_P(FiberFlowTest, EveryNumberOfTerms) {
  const Placement fibers = fiber_cloud(12, 2, 0.3, 4);
  Parameters p = precise_fibers();
  p.terms = 8;
  const std::vector<double> most = evaluate_fibers(backend(), fibers, p).velocity;
  double before = 1;
  for (int terms = 2; terms <= 8; ++terms) {
    p.terms = terms;
    const Evaluation e = evaluate_fibers(backend(), fibers, p);
    EXPECT_TRUE(e.solve.converged);
    const double difference = largest_relative_difference(e.velocity, most);
    EXPECT_LT(difference, 1e-2) << terms;  // velocities converge fast with N
    EXPECT_LE(difference, 3 * before) << terms;
    before = difference;
  }
}

TEST_P(FiberFlowTest, ForcesActOnOthersOnly) {
  // Turned about gravity and shifted, all turns and shifts along.
  const Placement fibers = fiber_cloud(20, 3, 0.2, 6);
  Placement turned;
  const double c = std::cos(0.7), s = std::sin(0.7);
  for (std::size_t m = 0; m < 20; ++m) {
    const double *x = &fibers.position[3 * m], *t = &fibers.tangent[3 * m];
    turned.add({c * x[0] - s * x[1] + 5, s * x[0] + c * x[1] - 2, x[2] + 9},
               {c * t[0] - s * t[1], s * t[0] + c * t[1], t[2]});
  }
  const Evaluation a = evaluate_fibers(backend(), fibers, precise_fibers()),
                   b = evaluate_fibers(backend(), turned, precise_fibers());
  std::vector<double> expected;
  for (std::size_t m = 0; m < 20; ++m) {
    const double* v = &a.velocity[3 * m];
    expected.insert(expected.end(), {c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]});
  }
  EXPECT_LT(largest_relative_difference(b.velocity, expected), 1e-11);
}

TEST_P(FiberFlowTest, InterpenetratingFibersFallBackToGmres) {
  // Parallel and closer than one radius: the system is indefinite (README.md), the run goes on.
  Placement fibers;
  fibers.add({0, 0, 0}, {0, 0, 1});
  fibers.add({0.006, 0, 0}, {0, 0, 1});
  Parameters p = precise_fibers();
  p.tolerance = 1e-8;
  const Evaluation e = evaluate_fibers(backend(), fibers, p);
  EXPECT_TRUE(e.solve.indefinite);
  EXPECT_TRUE(e.solve.converged) << e.solve.residual;
  for (const double v : e.velocity) EXPECT_TRUE(std::isfinite(v));
}

TEST_P(FiberFlowTest, CloudsArePositiveDefinite) {
  const Evaluation e = evaluate_fibers(backend(), fiber_cloud(100, 6, 0, 7), Parameters{});
  EXPECT_FALSE(e.solve.indefinite);
  EXPECT_LE(e.solve.iterations, 14);
}

TEST_P(FiberFlowTest, PeriodicImagesAreTheNearest) {
  // Moving a fiber by a whole box changes nothing.
  Parameters p = precise_fibers();
  p.box = 12;
  Placement fibers = fiber_cloud(15, 5, 0.2, 8);
  const std::vector<double> expected = evaluate_fibers(backend(), fibers, p).velocity;
  fibers.position[3] += 12;
  fibers.position[10] -= 24;
  EXPECT_LT(largest_relative_difference(evaluate_fibers(backend(), fibers, p).velocity, expected), 1e-11);
}

TEST_P(FiberFlowTest, APullMovesFibersItsWay) {
  perturb::Setup setup = setup_of("fibers", 10);
  const auto simulation = fibers_simulation().create(backend(), setup);
  const auto mean_x = [&] {
    const std::vector<double> v = simulation->save().get<double>("velocity", {10, 3});
    double sum = 0;
    for (std::size_t m = 0; m < 10; ++m) sum += v[3 * m] / 10;
    return sum;
  };
  const double before = mean_x();
  simulation->apply({"pull", {{"x", 0}, {"y", 0}, {"z", 0}, {"fx", 100}}, "", nullptr});
  EXPECT_GT(mean_x(), before + 0.5);
  simulation->apply({"let-go", {}, "", nullptr});
  EXPECT_NEAR(mean_x(), before, 1e-12);
}

TEST_P(FiberFlowTest, ActionsChangeTheNumberOfFibers) {
  perturb::Setup setup = setup_of("fibers", 10);
  const auto simulation = fibers_simulation().create(backend(), setup);
  simulation->apply({"fiber", {{"x", 1}, {"y", 0}, {"z", 9}}, "", nullptr});
  simulation->apply({"burst", {{"x", 1}, {"y", 0}, {"z", 19}, {"count", 7}}, "", nullptr});
  simulation->step(2);
  EXPECT_EQ(simulation->save().width, 18);
  simulation->apply({"new-cloud", {{"count", 5}}, "", nullptr});
  simulation->step(2);
  EXPECT_EQ(simulation->save().width, 5);
  EXPECT_TRUE(simulation->diagnostics({}, true).finite);
}

TEST_P(FiberFlowTest, RejectsBadInputWithMessages) {
  perturb::Setup setup = setup_of("fibers", 4, 0, {{"slenderness", 0.1}, {"terms", 5}});
  EXPECT_THROW(fibers_simulation().create(backend(), setup), InputError);
  setup.parameters = {{"subintervals", 16}, {"points_per_subinterval", 8}};
  EXPECT_THROW(fibers_simulation().create(backend(), setup), InputError);
  setup.parameters = {{"min_distance", 1}, {"radius", 0.2}};
  EXPECT_THROW(fibers_simulation().create(backend(), setup), InputError);
  setup.parameters.clear();
  setup.width = 1000000;
  EXPECT_THROW(fibers_simulation().create(backend(), setup), InputError);
  setup.width = 4;
  const auto simulation = fibers_simulation().create(backend(), setup);
  const State before = simulation->save();
  State state = before;
  std::vector<double> t = state.get<double>("tangent", {4, 3});
  t[3] = t[4] = t[5] = 0;
  state.put<double>("tangent", {4, 3}, "", t);
  EXPECT_THROW(simulation->load(state), InputError);
  state = before;
  std::vector<double> x = state.get<double>("position", {4, 3});
  x[1] = NAN;
  state.put<double>("position", {4, 3}, "length", x);
  EXPECT_THROW(simulation->load(state), InputError);
  EXPECT_EQ(largest_difference(simulation->save(), before), 0);
  EXPECT_THROW(simulation->apply({"turn", {{"fiber", 2}, {"tz", 0}}, "", nullptr}), InputError);
  EXPECT_THROW(simulation->apply({"turn", {{"fiber", 4}}, "", nullptr}), InputError);
  EXPECT_THROW(simulation->set_parameter("terms", 4), InputError);
}

TEST_P(FiberFlowTest, CoincidentFibersStopRunWithMessage) {
  perturb::Setup setup = setup_of("fibers", 3);
  const auto simulation = fibers_simulation().create(backend(), setup);
  State state = simulation->save();
  for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
  std::vector<double> x = state.get<double>("position", {3, 3}), t = state.get<double>("tangent", {3, 3});
  // On a coordinate axis, where rounding leaves no distance between them at all.
  for (std::size_t k = 0; k < 6; ++k) {
    x[k] = 0;
    t[k] = k % 3 == 2 ? 1 : 0;
  }
  state.put<double>("position", {3, 3}, "length", x);
  state.put<double>("tangent", {3, 3}, "", t);
  simulation->load(state);
  simulation->step(1);
  const Diagnostics d = simulation->diagnostics({}, true);
  EXPECT_FALSE(d.finite);
  EXPECT_FALSE(d.error.empty());
  EXPECT_EQ(d.step, 0);  // the last state is kept
  EXPECT_THROW(simulation->step(1), NonFiniteError);
}

TEST_P(FiberFlowTest, OverlapsAreCounted) {
  perturb::Setup setup =
      setup_of("fibers", 2, 0, {{"start", static_cast<double>(Start::pair)}, {"gap", 0.03}, {"tilt", 0}});
  const auto simulation = fibers_simulation().create(backend(), setup);
  const Diagnostics d = simulation->diagnostics({}, true);
  EXPECT_EQ(d.number("overlaps"), 1);
}

}  // namespace
}  // namespace perturb::fibers
