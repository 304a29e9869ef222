// The kernel whose number of nodes falls with distance: its error, its symmetries, and the pairs of each level.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/levels.h"
#include "cuda/fibers/model/plan.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::fibers {
namespace {

// Of the largest velocity.
constexpr double tolerance = 1e-6, single_tolerance = 1e-5;
// Of rounding: of single precision in far pairs, whose values do not depend on the order, only where a separation is
// rounded otherwise.
constexpr double rounding = 1e-11;

class FiberLevelsTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(FiberLevelsTest);

Placement ring_of(int count, double radius, double cross_section) {
  Placement fibers = fiber_cloud(count, cross_section, 0.06, 11);
  for (int m = 0; m < count; ++m) {
    const double angle = 2 * M_PI * m / count;
    fibers.position[3 * static_cast<std::size_t>(m)] += radius * std::cos(angle);
    fibers.position[3 * static_cast<std::size_t>(m) + 1] += radius * std::sin(angle);
  }
  return fibers;
}

// In a horizontal plane, in rows; all upright, so that the errors of all pairs have one sign, or of random directions.
Placement sheet_of(int side, double spacing, bool upright) {
  Placement fibers;
  for (int m = 0; m < side * side; ++m)
    fibers.add({spacing * (m % side), spacing * (m / side), 0.01 * m},
               upright ? Vector3<double>{0, 0, 1} : random_direction(7, 2, static_cast<std::uint64_t>(m)));
  return fibers;
}

// Two parallel fibers and two crossed ones that nearly touch, among others.
Placement near_contact() {
  Placement fibers = fiber_cloud(60, 5, 0.1, 9);
  fibers.add({9, 0, 0}, {0, 0, 1});
  fibers.add({9.042, 0, 0.3}, {0, 0, 1});
  fibers.add({-9, 0, 0}, {0, 0, 1});
  fibers.add({-9, 0.045, 0.2}, {1, 0, 0});
  return fibers;
}

Placement cloud_of_lengths(int count, double radius) {
  Parameters p;
  p.length_spread = 0.4;
  Placement fibers;
  add_fiber_ball(fibers, count, {0, 0, 0}, radius, 0.06, 4, 1, draw_fiber_lengths(p, count, 4, 1));
  return fibers;
}

struct Case {
  const char* name;
  Placement fibers;
  double box = 0;
  int terms = 5;
};
std::vector<Case> all_cases() {
  return {{"cloud", fiber_cloud(160, 5, 0.06, 3)},
          {"dilute cloud", fiber_cloud(120, 14, 0.06, 5)},
          {"eight terms", fiber_cloud(60, 6, 0.06, 5), 0, 8},
          {"ring", ring_of(120, 9, 1.5)},
          {"sheet", sheet_of(11, 1.3, false)},
          {"upright sheet", sheet_of(11, 1.3, true)},
          {"near contact", near_contact()},
          {"unequal lengths", cloud_of_lengths(120, 7)},
          {"box", fiber_cloud(100, 5, 0.06, 3), 16},
          {"box of one cell", fiber_cloud(60, 3, 0.06, 3), 6.5}};
}

TEST_P(FiberLevelsTest, VelocitiesAreThoseOfAllPairs) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const Case& one : all_cases()) {
    Parameters p = precise_fibers();
    p.points_per_subinterval = 8;  // of the closed forms of close pairs, whose usual rule is right to 1e-5 only
    p.terms = one.terms;
    p.box = one.box;
    const Evaluation levels = evaluate_fibers(backend(), one.fibers, p, Kernel::levels);
    EXPECT_TRUE(levels.solve.converged) << one.name;
    p.precision = Precision::fp32;
    const Evaluation single = evaluate_fibers(backend(), one.fibers, p, Kernel::levels);
    p.precision = Precision::fp64;
    p.node_points = 32;  // right to ten digits
    const Evaluation nodes = evaluate_fibers(backend(), one.fibers, p, Kernel::nodes);
    const Evaluation stable = evaluate_fibers(backend(), one.fibers, p);
    for (const Evaluation* exact : {&nodes, &stable}) {
      EXPECT_LT(largest_relative_difference(levels.velocity, exact->velocity), tolerance) << one.name;
      EXPECT_LT(largest_relative_difference(single.velocity, exact->velocity), single_tolerance) << one.name;
    }
    // The centre of mass, whose velocity has the errors of one sign.
    Vector3<double> mean{0, 0, 0}, exact{0, 0, 0};
    for (std::size_t m = 0; m < levels.velocity.size(); m += 3) {
      mean = mean + load3(&levels.velocity[m]);
      exact = exact + load3(&stable.velocity[m]);
    }
    const Vector3<double> off = mean - exact;
    EXPECT_LT(std::sqrt(dot(off, off) / dot(exact, exact)), tolerance) << one.name;
  }
}

TEST_P(FiberLevelsTest, SpinsAreThoseOfAFineRule) {
  Parameters p = precise_fibers();
  p.points_per_subinterval = 8;
  const Placement fibers = fiber_cloud(90, 6, 0.06, 3);
  const Evaluation exact = evaluate_fibers(backend(), fibers, p);
  EXPECT_LT(largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::levels).spin, exact.spin), 2e-6);
}

// Where a level begins its error is the largest: a hundred-thousandth of the flow of one fiber at the other.
TEST_P(FiberLevelsTest, EachLevelIsAccurateWhereItBegins) {
  Parameters p = precise_fibers();
  p.points_per_subinterval = 8;
  std::vector<double> distances;
  const std::vector<int> near = near_points_of(p.node_points), far = far_points_of(p.node_points, 2);
  EXPECT_EQ(near, (std::vector<int>{16, 12, 8}));
  EXPECT_EQ(far, (std::vector<int>{6}));
  for (const int points : near) distances.push_back(reach_of_points(p.node_points, p.node_reach, points, 5));
  EXPECT_TRUE(std::is_sorted(distances.begin(), distances.end()));
  distances.push_back(centre_reach_of_points(p.node_points, p.node_reach, far.front(), 5));
  for (std::size_t k = 0; k < distances.size(); ++k)
    for (std::uint64_t draw = 0; draw < 12; ++draw) {
      const Vector3<double> t1 = random_direction(3, 2, 3 * draw), t2 = random_direction(3, 2, 3 * draw + 1),
                            along = random_direction(3, 2, 3 * draw + 2);
      double low = 0, high = distances[k] + 2.1;  // the centres' distance
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        const double is = k + 1 < distances.size() ? fiber_distance(scaled(middle, along), t1, t2) : middle;
        (is < 1.0001 * distances[k] ? low : high) = middle;
      }
      Placement fibers;
      fibers.add({0, 0, 0}, t2);
      fibers.add(scaled(high, along), t1);
      const std::vector<double> exact = evaluate_fibers(backend(), fibers, p).velocity,
                                levels = evaluate_fibers(backend(), fibers, p, Kernel::levels).velocity;
      p.alone = true;
      const std::vector<double> alone = evaluate_fibers(backend(), fibers, p).velocity;
      p.alone = false;
      double flow = 0, error = 0;
      for (std::size_t c = 0; c < exact.size(); ++c) {
        flow = std::max(flow, std::abs(exact[c] - alone[c]));
        error = std::max(error, std::abs(exact[c] - levels[c]));
      }
      EXPECT_LT(error, 1e-5 * flow) << "level " << k << ", draw " << draw;
    }
}

std::vector<double> velocities_of(Backend& backend, const Placement& fibers) {
  Parameters p = precise_fibers();
  p.tolerance = 1e-14;
  p.pairing = Pairing::both;  // mirrored: the order decides which fiber of a close pair has the outer rule
  return evaluate_fibers(backend, fibers, p, Kernel::levels).velocity;
}

TEST_P(FiberLevelsTest, MirroredShiftedAndReorderedFibersDifferByRounding) {
  for (const bool unequal : {false, true}) {
    const Placement fibers = unequal ? cloud_of_lengths(90, 6) : fiber_cloud(90, 6, 0.06, 3);
    const int count = fibers.count();
    const std::vector<double> expected = velocities_of(backend(), fibers);

    Placement mirrored = fibers;
    for (std::size_t m = 0; m < mirrored.position.size(); m += 3) {
      mirrored.position[m] *= -1;
      mirrored.tangent[m] *= -1;
    }
    std::vector<double> got = velocities_of(backend(), mirrored);
    for (std::size_t m = 0; m < got.size(); m += 3) got[m] *= -1;
    EXPECT_LT(largest_relative_difference(got, expected), rounding) << "mirrored";

    Placement shifted = fibers;
    for (std::size_t m = 0; m < shifted.position.size(); m += 3) {
      shifted.position[m] += 3.3;
      shifted.position[m + 1] -= 77.7;
      shifted.position[m + 2] += 1.9;
    }
    EXPECT_LT(largest_relative_difference(velocities_of(backend(), shifted), expected), 100 * rounding) << "shifted";

    Placement reordered;
    for (int m = 0; m < count; ++m) {
      const int from = 37 * m % count;  // 37 and 90 have no common factor
      reordered.add(load3(&fibers.position[3 * static_cast<std::size_t>(from)]),
                    load3(&fibers.tangent[3 * static_cast<std::size_t>(from)]), fibers.half_of(from));
    }
    got = velocities_of(backend(), reordered);
    std::vector<double> back(got.size());
    for (int m = 0; m < count; ++m)
      std::copy_n(&got[3 * static_cast<std::size_t>(m)], 3, &back[3 * static_cast<std::size_t>(37 * m % count)]);
    EXPECT_LT(largest_relative_difference(back, expected), rounding) << "reordered";
  }
}

TEST(FiberLevels, VelocitiesAreBitIdenticalForAnyNumberOfThreads) {
  const Placement fibers = fiber_cloud(150, 6, 0.06, 3);
  const auto one = Backend::make_cpu(1);
  for (const Precision precision : {Precision::fp64, Precision::fp32}) {
    Parameters p;
    p.precision = precision;
    const Evaluation expected = evaluate_fibers(*one, fibers, p, Kernel::levels);
    for (const int threads : {2, 3, 7}) {
      const auto several = Backend::make_cpu(threads);
      const Evaluation got = evaluate_fibers(*several, fibers, p, Kernel::levels);
      EXPECT_EQ(got.velocity, expected.velocity) << threads;
      EXPECT_EQ(got.coefficients, expected.coefficients) << threads;
    }
  }
}

// One product with `levels` and with sums of 16 points for each pair.
struct Products {
  std::vector<double> levels, exact;
  double evaluations;
};
Products products_of(Backend& backend, const Placement& fibers, Product product) {
  const std::size_t size = fibers.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), f(backend, 6 * size, "f"), sums(backend, 6 * size, "s");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  std::vector<double> forces(6 * size);
  for (std::size_t k = 0; k < forces.size(); ++k)  // of falling size, as in a cloud
    forces[k] = std::sin(1.7 * static_cast<double>(k)) / static_cast<double>(1 + k % 18 / 3 * (k % 18 / 3));
  f.upload(forces);
  const Poses poses{x.data(), t.data(), 0};
  Parameters p;
  LevelSums levels(backend, fibers.count(), p);
  levels.prepare(poses, make_fiber_rule(8, 8), 2e-4, 1);
  levels.product(product, f.data(), sums.data());
  Products both{sums.download(), {}, levels.evaluations_per_pair()};
  Nodes nodes(backend, fibers.count(), p);
  nodes.prepare(poses, make_fiber_rule(8, 8), 2e-4);
  EXPECT_EQ(levels.close_pairs(), nodes.close_pairs());
  nodes.product(product, f.data(), sums.data());
  both.exact = sums.download();
  return both;
}

// The sums for the degrees of the force are relative to those for the whole fiber, which are much larger.
constexpr double product_tolerance = 1e-5;

TEST_P(FiberLevelsTest, ProductsAreThoseOfTheNodes) {
  const Placement fibers = fiber_cloud(80, 6, 0.04, 7);
  for (const Product product : {Product::weights, Product::forces, Product::velocities}) {
    const Products both = products_of(backend(), fibers, product);
    EXPECT_LT(largest_relative_difference(both.levels, both.exact), product_tolerance);
  }
}

// int V P_n ds of one fiber under the weights of all others, written out in the plainest way. No two may be close.
std::vector<double> sums_of_weights(const Placement& fibers, int m, double doublet) {
  std::vector<double> sums(18, 0.0);
  const FiberRule many = make_fiber_rule(1, 16), few = make_fiber_rule(1, 8);
  const auto vector = [](const std::vector<double>& of, int at) {
    return load3(&of[3 * static_cast<std::size_t>(at)]);
  };
  for (int l = 0; l < fibers.count(); ++l) {
    if (l == m) continue;
    const Vector3<double> d = vector(fibers.position, m) - vector(fibers.position, l), tm = vector(fibers.tangent, m),
                          tl = vector(fibers.tangent, l);
    const FiberRule& rule = dot(d, d) < 36 ? many : few;
    for (int q = 0; q < rule.points; ++q) {
      Vector3<double> u{0, 0, 0};
      for (int p = 0; p < rule.points; ++p)
        add_node_flow(add_scaled(add_scaled(d, rule.node[q], tm), -rule.node[p], tl),
                      Vector3<double>{0, 0, -0.5 * rule.weight[p][0]}, doublet, -3 * doublet, u);
      for (std::size_t n = 0; n <= 5; ++n) {
        sums[3 * n] += rule.weight[q][n] * u.x;
        sums[3 * n + 1] += rule.weight[q][n] * u.y;
        sums[3 * n + 2] += rule.weight[q][n] * u.z;
      }
    }
  }
  return sums;
}

// So many have two far levels.
TEST_P(FiberLevelsTest, FiveThousandFibersUseFourPoints) {
  SKIP_UNDER_SANITIZERS("millions of pairs");
  const int count = fibers_with_two_far_levels;
  EXPECT_EQ(far_points_of(16, count), (std::vector<int>{6, 4}));
  const Placement fibers = fiber_cloud(count, 24, 0, 7);
  const std::size_t size = fibers.position.size();
  Array<double> x(backend(), size, "x"), t(backend(), size, "t"), f(backend(), 6 * size, "f"),
      to(backend(), 6 * size, "");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  std::vector<double> weights(6 * size, 0.0);
  for (std::size_t m = 0; m < weights.size(); m += 18) weights[m + 2] = -0.5;
  f.upload(weights);
  const double doublet = 2e-4;
  LevelSums levels(backend(), count, Parameters());
  levels.prepare({x.data(), t.data(), 0}, make_fiber_rule(8, 3), doublet, 1);
  levels.product(Product::weights, f.data(), to.data());
  EXPECT_LT(levels.evaluations_per_pair(), 18);
  const std::vector<double> sums = to.download();
  int compared = 0;
  for (int m = 0; m < count && compared < 4; m += 7) {
    double nearest = 1e9;
    for (int l = 0; l < count; ++l)
      if (l != m)
        nearest = std::min(nearest, fiber_distance(load3(&fibers.position[3 * static_cast<std::size_t>(m)]) -
                                                       load3(&fibers.position[3 * static_cast<std::size_t>(l)]),
                                                   load3(&fibers.tangent[3 * static_cast<std::size_t>(m)]),
                                                   load3(&fibers.tangent[3 * static_cast<std::size_t>(l)])));
    if (nearest < 0.5) continue;
    ++compared;
    const auto begin = sums.begin() + 18 * m;
    EXPECT_LT(largest_relative_difference({begin, begin + 18}, sums_of_weights(fibers, m, doublet)), tolerance) << m;
  }
  EXPECT_EQ(compared, 4);
}

// The numbers of docs/manual and README: sums of 16 points for all pairs would need 256, and `nodes` needs 61.
TEST_P(FiberLevelsTest, ABallOfAThousandNeedsFortyOneEvaluationsPerPair) {
  const Placement fibers = fiber_cloud(1000, 6, 0.04, 1);
  Array<double> x(backend(), 3000, "x"), t(backend(), 3000, "t");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  LevelSums levels(backend(), 1000, Parameters());
  levels.prepare({x.data(), t.data(), 0}, make_fiber_rule(8, 3), 2e-4, 1);
  EXPECT_NEAR(levels.evaluations_per_pair(), 40.9, 0.1);
}

TEST_P(FiberLevelsTest, APositionThatIsNotANumberIsNoticed) {
  for (const int at : {0, 3, 40}) {
    Placement fibers = fiber_cloud(41, 6, 0.06, 3);
    fibers.position[3 * static_cast<std::size_t>(at) + 1] = NAN;
    const Evaluation e = evaluate_fibers(backend(), fibers, Parameters(), Kernel::levels);
    EXPECT_TRUE(!e.solve.converged || !std::ranges::all_of(e.velocity, [](double v) { return std::isfinite(v); }))
        << at;
  }
}

// Few nodes leave no far level: then all pairs are in lists.
TEST_P(FiberLevelsTest, AnyNumberOfNodesWorks) {
  const Placement fibers = fiber_cloud(60, 6, 0.06, 5);
  Parameters p = precise_fibers();
  p.points_per_subinterval = 8;
  const Evaluation exact = evaluate_fibers(backend(), fibers, p);
  for (const int points : {4, 5, 6, 8, 10, 16, 24, 32}) {
    p.node_points = points;
    const double nodes = largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::nodes).velocity,
                                                     exact.velocity),
                 levels = largest_relative_difference(evaluate_fibers(backend(), fibers, p, Kernel::levels).velocity,
                                                      exact.velocity);
    EXPECT_LT(levels, std::max(tolerance, 2 * level_error * nodes)) << points;
  }
}

}  // namespace
}  // namespace perturb::fibers
