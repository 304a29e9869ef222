// The kernel without a matrix: its sums, its close pairs, and when it is chosen.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/peak_rates.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/plan.h"
#include "tests/support/auto_kernel.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/setup_of.h"

namespace perturb::fibers {
namespace {

// Of the largest velocity: 16 nodes are right to 1e-6 of a pair's interaction at the distance 0.5, and clouds average.
constexpr double nodes_tolerance = 1e-7, nodes_single_tolerance = 5e-7;

class FiberNodesTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberNodesTest);

TEST_P(FiberNodesTest, VelocitiesAreThoseOfTheClosedForms) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const Pairing pairing : {Pairing::mirrored, Pairing::both})
    for (const double box : {0.0, 11.0})
      for (const int count : {1, 2, 33, 96}) {
        const Placement fibers = fiber_cloud(count, 5, 0.06, 3);
        Parameters p = precise_fibers();
        p.pairing = pairing;
        p.box = box;
        const Evaluation exact = evaluate_fibers(backend(), fibers, p);
        const Evaluation nodes = evaluate_fibers(backend(), fibers, p, Kernel::nodes);
        EXPECT_LT(largest_relative_difference(nodes.velocity, exact.velocity), nodes_tolerance) << count << ' ' << box;
        p.precision = Precision::fp32;
        EXPECT_LT(
            largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::nodes).velocity, exact.velocity),
            nodes_single_tolerance)
            << count << ' ' << box;
      }
}

// Forces and spins depend on high degrees, where the usual outer rule of the closed forms is itself accurate to 1e-5
// only: so they are compared with a finer one.
TEST_P(FiberNodesTest, SpinsAndForcesAreThoseOfAFineRule) {
  Parameters p = precise_fibers();
  p.subintervals = 8;
  p.points_per_subinterval = 8;
  for (const int count : {2, 40, 70}) {
    const Placement fibers = fiber_cloud(count, 4, 0.06, 3);
    const Evaluation exact = evaluate_fibers(backend(), fibers, p);
    const Evaluation nodes = evaluate_fibers(backend(), fibers, p, Kernel::nodes);
    EXPECT_LT(largest_relative_difference(nodes.spin, exact.spin), 1e-6) << count;
    EXPECT_LT(largest_relative_difference(nodes.coefficients, exact.coefficients), 1e-6) << count;
  }
}

TEST_P(FiberNodesTest, MoreNodesAreMoreExact) {
  const Placement fibers = fiber_cloud(60, 5, 0.06, 5);
  Parameters p = precise_fibers();
  // The closed forms of far pairs carry the error of the outer rule: here a better one.
  p.subintervals = 4;
  p.points_per_subinterval = 8;
  const Evaluation exact = evaluate_fibers(backend(), fibers, p);
  double before = 1;
  for (const int points : {4, 8, 16, 32}) {
    p.node_points = points;
    const double error =
        largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::nodes).velocity, exact.velocity);
    EXPECT_LT(error, 0.3 * before) << points;
    before = error;
  }
  EXPECT_LT(before, 1e-10);
}

TEST_P(FiberNodesTest, AllPairsCloseIsTheMatrixItself) {
  const Placement fibers = fiber_cloud(40, 1.2, 0.05, 6);
  Parameters p = precise_fibers();
  p.node_reach = 4;
  for (const int terms : {5, 8})
    for (const Pairing pairing : {Pairing::mirrored, Pairing::both}) {
      p.terms = terms;
      p.pairing = pairing;
      const Evaluation exact = evaluate_fibers(backend(), fibers, p);
      EXPECT_LT(
          largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::nodes).velocity, exact.velocity),
          1e-11)
          << terms;
    }
}

TEST_P(FiberNodesTest, ClosePairsAreThoseWithinReach) {
  const Placement fibers = fiber_cloud(90, 4, 0.04, 7);
  const std::size_t size = fibers.position.size();
  Parameters p;
  Array<double> x(backend(), size, "x"), t(backend(), size, "t");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  const auto vector = [](const std::vector<double>& of, int m) {
    const std::size_t at = 3 * static_cast<std::size_t>(m);
    return Vector3<double>{of[at], of[at + 1], of[at + 2]};
  };
  for (const double reach : {0.1, 0.5, 1.5}) {
    p.node_reach = reach;
    Nodes nodes(backend(), fibers.count(), p);
    nodes.prepare({x.data(), t.data(), 0}, make_fiber_rule(8, 3), 2e-4);
    int expected = 0;
    for (int m = 0; m < fibers.count(); ++m)
      for (int l = m + 1; l < fibers.count(); ++l)
        expected += fiber_distance(vector(fibers.position, m) - vector(fibers.position, l), vector(fibers.tangent, m),
                                   vector(fibers.tangent, l)) < reach;
    EXPECT_GT(expected, 0);
    EXPECT_EQ(nodes.close_pairs(), expected) << reach;
  }
}

// The sums written out once more, in the plainest way. The number of nodes halves from the distance where half as many
// are as exact as all at 0.5, and falls to six on the CPU.
TEST_P(FiberNodesTest, SumsAreThoseOfTheFormula) {
  Placement fibers;
  for (int m = 0; m < 9; ++m)
    fibers.add({2.4 * (m % 3), 2.4 * (m / 3), 0.4 * m}, random_direction(5, 2, static_cast<std::uint64_t>(m)));
  fibers.add({12, 0, 0}, {0, 0, 1});
  const std::size_t count = 10;
  const double doublet = 2e-4;
  const std::size_t size = fibers.position.size(), values = 18;
  Array<double> x(backend(), size, "x"), t(backend(), size, "t"), f(backend(), 6 * size, "f"),
      sums(backend(), 6 * size, "sums");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  std::vector<double> forces(6 * size);
  for (std::size_t k = 0; k < forces.size(); ++k) forces[k] = std::sin(1.7 * static_cast<double>(k));
  f.upload(forces);
  for (const int most : {12, 16}) {
    Parameters p;
    p.node_points = most;
    p.node_reach = 0.2;
    Nodes nodes(backend(), static_cast<int>(count), p);
    nodes.prepare({x.data(), t.data(), 0}, make_fiber_rule(8, 3), doublet);
    ASSERT_EQ(nodes.close_pairs(), 0);
    nodes.product(Product::forces, f.data(), sums.data());
    const std::vector<double> got = sums.download();

    const auto points_at = [&](double distance) {
      const auto far = [&](int fewer) { return std::sinh(std::asinh(0.5) * (2 * most - 7) / (2 * fewer - 7)); };
      if (!backend().is_cuda() && distance >= far(6)) return 6;
      return most == 16 && distance >= far(8) ? 8 : most;
    };
    std::map<int, int> pairs;
    std::vector<double> expected(6 * size, 0.0);
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t l = 0; l < count; ++l) {
        if (l == m) continue;
        const FiberRule rule =
            make_fiber_rule(1, points_at(fiber_distance(load3(&fibers.position[3 * m]) - load3(&fibers.position[3 * l]),
                                                        load3(&fibers.tangent[3 * m]), load3(&fibers.tangent[3 * l]))));
        ++pairs[rule.points];
        for (int q = 0; q < rule.points; ++q)
          for (int s = 0; s < rule.points; ++s) {
            double r[3], force[3] = {0, 0, 0}, u[3];
            for (std::size_t c = 0; c < 3; ++c) {
              r[c] = fibers.position[3 * m + c] + rule.node[q] * fibers.tangent[3 * m + c] -
                     fibers.position[3 * l + c] - rule.node[s] * fibers.tangent[3 * l + c];
              for (std::size_t k = 1; k <= 5; ++k) force[c] += rule.weight[s][k] * forces[values * l + 3 * k + c];
            }
            const double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], r1 = std::sqrt(r2), r3 = r1 * r2, r5 = r3 * r2;
            const double along = r[0] * force[0] + r[1] * force[1] + r[2] * force[2];
            for (int c = 0; c < 3; ++c)
              u[c] = force[c] / r1 + r[c] * along / r3 + doublet * (force[c] / r3 - 3 * r[c] * along / r5);
            for (std::size_t n = 1; n <= 5; ++n)
              for (std::size_t c = 0; c < 3; ++c) expected[values * m + 3 * n + c] += rule.weight[q][n] * u[c];
          }
      }
    EXPECT_EQ(pairs.size(), (most == 16 ? 2u : 1u) + (backend().is_cuda() ? 0u : 1u)) << "each rule is used";
    EXPECT_LT(largest_relative_difference(got, expected), 1e-13) << most;
  }
}

TEST_P(FiberNodesTest, ARunChangesItsKernelOnTheWay) {
  perturb::Setup setup = setup_of("fibers", 40);
  const auto run = fibers_simulation().create(backend(), setup);
  const State start = run->save();
  for (const char* kernel : {"nodes", "recursion", "stable", "levels", "nodes", "auto"}) {
    run->select_kernel(kernel);
    EXPECT_EQ(run->selected_kernel(), kernel);
    EXPECT_FALSE(run->choice().empty());
    EXPECT_LT(largest_relative_difference(run->save().get<double>("velocity", {40, 3}),
                                          start.get<double>("velocity", {40, 3})),
              nodes_tolerance)
        << kernel;
    run->step(1);
    run->load(start);
  }
}

TEST_P(FiberNodesTest, InterpenetratingFibersFallBackToGmresToo) {
  Placement fibers;
  fibers.add({0, 0, 0}, {0, 0, 1});
  fibers.add({0.006, 0, 0}, {0, 0, 1});
  fibers.add({4, 0, 0}, {0, 0, 1});
  Parameters p = precise_fibers();
  p.tolerance = 1e-8;
  const Evaluation e = evaluate_fibers(backend(), fibers, p, Kernel::nodes);
  EXPECT_TRUE(e.solve.indefinite);
  EXPECT_TRUE(e.solve.converged) << e.solve.residual;
}

DeviceMemory all_free(std::size_t bytes) { return {bytes, bytes}; }

TEST_P(FiberNodesTest, PlanDependsOnMemory) {
  Parameters p;
  const std::size_t whole = Flow::bytes(10000, p, fiber_tile(backend()), Kernel::stable, true);
  EXPECT_GT(whole, std::size_t{80} << 30);  // 216 numbers of 8 bytes for 5e7 pairs
  const Plan roomy = plan_fibers(backend(), 10000, p, "stable", all_free(2 * whole));
  EXPECT_TRUE(roomy.stored);
  EXPECT_NE(roomy.words.english().find("stored"), std::string::npos) << roomy.words.english();
  const Plan short_of = plan_fibers(backend(), 10000, p, "auto", all_free(whole / 2));
  EXPECT_EQ(short_of.kernel, Kernel::levels);
  EXPECT_NE(short_of.words.english().find("without a matrix"), std::string::npos) << short_of.words.english();
  // However fast closed forms are: no room for their partial sums, no closed forms.
  const std::size_t anew = Flow::bytes(10000, p, fiber_tile(backend()), Kernel::stable, false);
  const Rates closed_is_fast{0, 1};
  EXPECT_EQ(plan_fibers(backend(), 10000, p, "auto", all_free(anew), closed_is_fast).kernel, Kernel::nodes);
  EXPECT_EQ(plan_fibers(backend(), 10000, p, "auto", all_free(2 * anew), closed_is_fast).kernel, Kernel::stable);
  const Plan forced = plan_fibers(backend(), 10000, p, "stable", all_free(whole / 2));
  EXPECT_EQ(forced.kernel, Kernel::stable);
  EXPECT_FALSE(forced.stored);
  EXPECT_NE(forced.words.english().find("recomputed in every iteration"), std::string::npos) << forced.words.english();
  p.storage = Storage::stored;
  EXPECT_EQ(plan_fibers(backend(), 10000, p, "auto", all_free(whole / 2)).kernel, Kernel::stable);
  EXPECT_THROW(plan_fibers(backend(), 10, p, "no-such-kernel", all_free(whole)), InputError);
  const PeakRates peak = peak_rates(backend());
  EXPECT_GT(peak.fp64, 1e9);
  EXPECT_GE(peak.fp32, peak.fp64);
  EXPECT_GT(peak.bytes_per_second, 1e9);
}

// A lone fiber has no pairs, so that closed forms take no time.
TEST_P(FiberNodesTest, PlanOfALoneFiberComparesNoTimes) {
  const auto words_of = [&](int fibers) {
    return plan_fibers(backend(), fibers, Parameters(), "auto", all_free(std::size_t{1} << 30)).words.english();
  };
  EXPECT_NE(words_of(2).find("times as long"), std::string::npos) << words_of(2);
  EXPECT_TRUE(words_of(1).starts_with("Automatic: ")) << words_of(1);
  EXPECT_EQ(words_of(1).find("times as long"), std::string::npos) << words_of(1);
}

// A choice by measured times could make the result of a command vary.
TEST_P(FiberNodesTest, AutoTakesTheSameKernelWhateverWasMeasuredAndWhateverIsFree) {
  const EmptyBook empty;
  std::string key = backend().device_name();
  if (!backend().is_cuda()) key += ", " + std::to_string(backend().threads()) + " threads";
  perturb::Setup setup = setup_of("fibers", 60);
  const std::string chosen = fibers_simulation().create(backend(), setup)->choice().english();
  EXPECT_TRUE(empty.book().entries().empty()) << "nothing is timed";
  for (const auto& [closed, nodes] : {std::pair{1.0, 1e-4}, std::pair{1e-4, 1.0}}) {
    empty.book().clear();
    empty.book().add(key + " | fibers | fp64 times those of the specification", {{"stable", closed}, {"nodes", nodes}});
    const std::string again = fibers_simulation().create(backend(), setup)->choice().english();
    EXPECT_EQ(again.substr(0, again.find(',')), chosen.substr(0, chosen.find(',')));
  }
  Parameters p;
  for (const int fibers : {20, 300, 3000, 20000})
    for (const Precision precision : {Precision::fp64, Precision::fp32}) {
      p.precision = precision;
      const std::size_t total = std::size_t{256} << 30;
      const Kernel alone = plan_fibers(backend(), fibers, p, "auto", {total, total}).kernel;
      for (const int share : {2, 8}) {
        const Plan plan = plan_fibers(backend(), fibers, p, "auto", {total / share, total});
        EXPECT_EQ(plan.kernel, alone) << fibers << " fibers, of the memory one in " << share << " free";
      }
      if (backend().is_cuda()) continue;
      for (const int threads : {1, 16, 64})
        EXPECT_EQ(plan_fibers(*Backend::make_cpu(threads), fibers, p, "auto", {total, total}).kernel, alone)
            << fibers << " fibers, " << threads << " threads";
    }
}

// More fibers than any matrix of theirs would fit for: made and told without one.
TEST(ManyFibers, TakeLittleMemoryWhereSumsOverNodesAreFaster) {
  const auto cpu = Backend::make_cpu(2);
  perturb::Setup setup = setup_of("fibers", 10000, 0, {{"radius", 13}, {"min_distance", 0}});
  const std::size_t said = fibers_simulation().memory_needed(*cpu, setup);
  if (said > (std::size_t{4} << 30)) GTEST_SKIP() << "this machine would store the matrix";
  const auto run = fibers_simulation().create(*cpu, setup);
  EXPECT_LE(cpu->memory_in_use(), said);
  EXPECT_NE(run->choice().english().find("levels"), std::string::npos) << run->choice().english();
}

}  // namespace
}  // namespace perturb::fibers
