// The fluid between the fibers, and the tracers that it carries.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/fluid.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/setup_of.h"

namespace perturb::fibers {
namespace {

class FiberFluidTest : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int count, std::map<std::string, double> parameters) {
    return fibers_simulation().create(backend(), setup_of("fibers", count, 0, std::move(parameters)));
  }
};
PERTURB_ON_EACH_BACKEND(FiberFluidTest);

TEST_P(FiberFluidTest, TheoryHolds) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  for (const TheoryCheck& check : {check_surface_flow(backend()), check_drop(backend())})
    EXPECT_TRUE(check.pass()) << check.name << ": " << check.got << " for " << check.expected;
}

// Near and far, against the plain integral by a fine rule; with forces of every degree, in a box, with a pull.
TEST_P(FiberFluidTest, ItIsTheIntegral) {
  Parameters p;
  p.box = 12;
  Pull pull;
  pull.at = {1, 2, 3};
  pull.force = {4, 0, -2};
  pull.core = 0.7;
  const Placement fibers = fiber_cloud(6, 3, 0.5, 4);
  std::vector<double> a(6 * 5 * 3), poses;
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = 0.1 * std::sin(1.0 + 3.7 * static_cast<double>(k));
  for (const double distance : {0.3, 0.6, 0.97, 1.03, 2.0, 4.5})
    for (std::size_t m = 0; m < 6; ++m) {
      const Vector3<double> t{fibers.tangent[3 * m], fibers.tangent[3 * m + 1], fibers.tangent[3 * m + 2]};
      Vector3<double> across = std::abs(t.z) < 0.8 ? Vector3<double>{-t.y, t.x, 0} : Vector3<double>{0, -t.z, t.y};
      const double size = std::sqrt(dot(across, across));
      for (int k = 0; k < 3; ++k)
        poses.push_back(fibers.position[3 * m + static_cast<std::size_t>(k)] + 0.6 * (&t.x)[k] +
                        distance / size * (&across.x)[k]);
    }
  const std::size_t points = poses.size() / 3;
  Array<double> x(backend(), 18, "x"), t(backend(), 18, "t"), force(backend(), a.size(), "a");
  Array<double> at(backend(), poses.size(), "places"), u(backend(), poses.size(), "u");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  force.upload(a);
  at.upload(poses);
  Fluid fluid(backend());
  fluid.velocity(p, {6, x.data(), t.data(), force.data()}, pull, at.data(), static_cast<int>(points), u.data());
  const std::vector<double> got = u.download();

  const FiberRule rule = make_fiber_rule(16, 4);
  const double d = fiber_d(p.slenderness), doublet = 2 * p.slenderness * p.slenderness;
  std::vector<double> expected;
  for (std::size_t k = 0; k < points; ++k) {
    const Vector3<double> y{poses[3 * k], poses[3 * k + 1], poses[3 * k + 2]};
    const auto nearest = [&](Vector3<double> r) {
      return Vector3<double>{r.x - 12 * std::rint(r.x / 12), r.y - 12 * std::rint(r.y / 12),
                             r.z - 12 * std::rint(r.z / 12)};
    };
    Vector3<double> sum = point_force(nearest(y - pull.at), pull.force, pull.core);
    for (std::size_t m = 0; m < 6; ++m) {
      const Vector3<double> axis{fibers.tangent[3 * m], fibers.tangent[3 * m + 1], fibers.tangent[3 * m + 2]};
      const Vector3<double> c =
          nearest(y - Vector3<double>{fibers.position[3 * m], fibers.position[3 * m + 1], fibers.position[3 * m + 2]});
      for (int q = 0; q < rule.points; ++q) {
        Vector3<double> f{0, 0, -0.5 * rule.weight[q][0]};
        for (std::size_t n = 1; n <= 5; ++n) {
          const double* const own = &a[3 * (5 * m + n - 1)];
          f = add_scaled(f, rule.weight[q][n], Vector3<double>{own[0], own[1], own[2]});
        }
        const Vector3<double> r = add_scaled(c, -rule.node[q], axis);
        const double r2 = dot(r, r), r1 = std::sqrt(r2), r3 = r1 * r2;
        sum = add_scaled(sum, 1 / r1 + doublet / r3, f);
        sum = add_scaled(sum, dot(r, f) * (1 / r3 - 3 * doublet / (r3 * r2)), r);
      }
    }
    expected.insert(expected.end(), {sum.x / d, sum.y / d, sum.z / d});
  }
  EXPECT_LT(largest_relative_difference(got, expected), 1e-5) << "eight nodes at the distance 1: 6e-5 of the last term";
}

TEST_P(FiberFluidTest, TracersKeepRunAndResumeFromState) {
  const std::map<std::string, double> plain = {{"radius", 3}, {"time_step", 0.2}};
  std::map<std::string, double> traced = plain;
  traced["tracers"] = 60;
  const auto without = make(30, plain), with = make(30, traced);
  without->step(8);
  with->step(5);
  const State half = with->save();
  with->step(3);
  const State end = with->save(), untraced = without->save();
  EXPECT_EQ(end.get<double>("position", {30, 3}), untraced.get<double>("position", {30, 3}));
  EXPECT_FALSE(untraced.has("tracers"));
  const auto again = make(30, traced);
  again->load(half);
  again->step(3);
  const State second = again->save();
  for (const char* name : {"tracers", "tracers_velocity"})
    EXPECT_EQ(second.get<double>(name, {60, 3}), end.get<double>(name, {60, 3})) << name;
  // A state without tracers, from an older version: they are spread again.
  again->load(untraced);
  EXPECT_EQ(again->save().get<double>("tracers_age", {60}), std::vector<double>(60, 0.0));
  again->set_parameter("tracers", 10);
  again->step(1);
  const std::vector<double> age = again->save().get<double>("tracers_age", {10});
  EXPECT_EQ(*std::max_element(age.begin(), age.end()), 1);
  State broken = half;
  broken.put<double>("tracers_velocity", {3, 3}, "", std::vector<double>(9, 0.0));
  EXPECT_THROW(again->load(broken), InputError);
}

TEST_P(FiberFluidTest, TracersStayInTheSquare) {
  const auto run = make(30, {{"radius", 2}, {"time_step", 0.5}, {"tracers", 300}, {"follow", 0}});
  run->step(30);
  const State state = run->save();
  const std::vector<double> x = state.get<double>("tracers", {300, 3}), age = state.get<double>("tracers_age", {300});
  for (const double value : x) EXPECT_LE(std::abs(value), 4 + 1e-9) << "half of the view of a ball of radius 2";
  EXPECT_EQ(*std::max_element(age.begin(), age.end()), 30);
}

TEST_P(FiberFluidTest, InABoxTracersAreTheirImages) {
  const auto run = make(
      30,
      {{"start", static_cast<double>(Start::box)}, {"box", 8}, {"time_step", 0.3}, {"tracers", 100}, {"follow", 0}});
  run->step(20);
  const State state = run->save();
  for (const double value : state.get<double>("tracers", {100, 3})) EXPECT_LE(std::abs(value), 4 + 1e-9);
  EXPECT_EQ(state.get<double>("tracers_age", {100}), std::vector<double>(100, 20.0)) << "none enters again";
}

// Past a lone fiber, whose own fall every scheme has exactly: what is left is the tracers' own error.
TEST_P(FiberFluidTest, TracersAreOfSecondOrder) {
  const auto end = [&](double dt) {
    const auto run = make(1, {{"start", static_cast<double>(Start::lone)},
                              {"time_step", dt},
                              {"tracers", 40},
                              {"tilt", 30},
                              {"view_size", 20},
                              {"follow", 0}});
    run->step(std::lround(3.2 / dt));
    return run->save().get<double>("tracers", {40, 3});
  };
  const std::vector<double> exact = end(0.0125);
  const auto error = [&](double dt) {
    const std::vector<double> x = end(dt);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - exact[k]) * (x[k] - exact[k]);
    return std::sqrt(sum);
  };
  EXPECT_NEAR(std::log2(error(0.4) / error(0.2)), 2, 0.5);
}

}  // namespace
}  // namespace perturb::fibers
