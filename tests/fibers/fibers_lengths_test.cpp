// Fibers of unequal length: every part uses the length of a fiber.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/kernels/evaluate.h"
#include "cuda/fibers/model/balance.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/fluid.h"
#include "cuda/fibers/model/start.h"
#include "tests/fibers/fibers_unequal.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/scalars.h"

namespace perturb::fibers {
namespace {

class FiberLengthsRun : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int count, std::map<std::string, double> parameters) {
    perturb::Setup setup;
    setup.simulation = "fibers";
    setup.width = count;
    setup.seed = 3;
    setup.parameters = std::move(parameters);
    return fibers_simulation().create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(FiberLengthsRun);

TEST_P(FiberLengthsRun, ExchangeOfTensorsAndPlainQuadrature) {
  Parameters p = precise_fibers();
  p.pairing = Pairing::both;
  p.subintervals = 16;
  p.points_per_subinterval = 4;
  Placement fibers;
  fibers.add({0, 0, 0}, {0.6, 0, 0.8}, 0.6);
  fibers.add({0.9, 0.7, 0.4}, {0, 0.28, 0.96}, 1.7);
  Array<double> x(backend(), 6, "x"), t(backend(), 6, "t"), v(backend(), 6, "v"), w(backend(), 6, "w"),
      a(backend(), 30, "a");
  x.upload(fibers.position);
  t.upload(fibers.tangent);
  Lengths lengths(backend(), fibers.half_length);
  Flow flow(backend(), 2, p, Kernel::stable, true);
  flow.set_lengths(&lengths);
  flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data());
  const std::vector<double> there = flow.tensors(0, 1), back = flow.tensors(1, 0);
  const FiberRule rule = make_fiber_rule(16, 4);
  const double doublet = 2 * p.slenderness * p.slenderness;
  const std::size_t order = 6;
  double exchange = 0, plain = 0, largest = 0;
  for (std::size_t n = 0; n < order; ++n)
    for (std::size_t k = 0; k < order; ++k) {
      double sum[tensor] = {};
      for (int q = 0; q < rule.points; ++q)
        for (int j = 0; j < rule.points; ++j) {
          const Vector3<double> r = add_scaled(add_scaled(load3(&fibers.position[0]) - load3(&fibers.position[3]),
                                                          0.6 * rule.node[q], load3(&fibers.tangent[0])),
                                               -1.7 * rule.node[j], load3(&fibers.tangent[3]));
          const double r2 = dot(r, r), r1 = std::sqrt(r2), r3 = r1 * r2, weight = rule.weight[q][n] * rule.weight[j][k];
          const double axial = 1 / r3 - 3 * doublet / (r3 * r2);
          const double products[] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
          for (int c = 0; c < tensor; ++c)
            sum[c] += weight * ((c < 3 ? 1 / r1 + doublet / r3 : 0) + products[c] * axial);
        }
      for (std::size_t c = 0; c < tensor; ++c) {
        const double one = there[(n * order + k) * tensor + c];
        exchange = std::max(exchange, std::abs(one - back[(k * order + n) * tensor + c]));
        plain = std::max(plain, std::abs(one - sum[c]));
        largest = std::max(largest, std::abs(one));
      }
    }
  EXPECT_LT(exchange / largest, 1e-9) << "Lorentz's reciprocity: G is even and symmetric";
  EXPECT_LT(plain / largest, 1e-9);
}

// Results for equal lengths are the limit of those for unequal ones.
TEST_P(FiberLengthsRun, NearlyEqualIsEqual) {
  Placement equal = fiber_cloud(50, 4, 0.1, 2), nearly = equal;
  nearly.half_length.assign(50, 1.0);
  nearly.half_length[7] = 1 + 1e-13;
  for (const Kernel kernel : {Kernel::stable, Kernel::recursion, Kernel::nodes, Kernel::levels}) {
    const Evaluation expected = evaluate_fibers(backend(), equal, precise_fibers(), kernel);
    equal.half_length.assign(50, 1.0);  // given, but all equal: the same result
    EXPECT_EQ(evaluate_fibers(backend(), equal, precise_fibers(), kernel).velocity, expected.velocity);
    const Evaluation got = evaluate_fibers(backend(), nearly, precise_fibers(), kernel);
    EXPECT_LT(largest_relative_difference(got.velocity, expected.velocity), 1e-10);
    EXPECT_LT(largest_relative_difference(got.spin, expected.spin), 1e-10);
    equal.half_length.clear();
  }
}

// The nodes of a long fiber are far apart: closeness is measured in its half-lengths. At a quarter of it, 16 nodes are
// accurate to (0.25 + 1.03)^-32 = 4e-4 only.
TEST_P(FiberLengthsRun, LongFibersAreCloseFromFartherAway) {
  Placement fibers;
  fibers.add({0, 0, 0}, {0, 0, 1}, 4);
  fibers.add({1, 0, 0.7}, {0, 0.6, 0.8}, 4);
  fibers.add({0, 1.2, 1}, {1, 0, 0});
  const Evaluation expected = evaluate_fibers(backend(), fibers, precise_fibers()),
                   got = evaluate_fibers(backend(), fibers, precise_fibers(), Kernel::nodes);
  EXPECT_LT(largest_relative_difference(got.velocity, expected.velocity), 1e-9);
  EXPECT_LT(largest_relative_difference(got.spin, expected.spin), 1e-9);
}

TEST_P(FiberLengthsRun, EverythingThreeTimesAsLargeInABoxWithAPull) {
  Parameters small = precise_fibers(), large = small;
  small.slenderness = 0.003;
  large.slenderness = 0.009;
  small.box = 9;
  large.box = 27;
  small.terms = large.terms = 8;
  const Placement fibers = unequal_cloud(20, 4, 0.3, 5);
  Placement tripled;
  for (int m = 0; m < 20; ++m) {
    const std::size_t own = 3 * static_cast<std::size_t>(m);
    tripled.add(scaled(3, load3(&fibers.position[own])), load3(&fibers.tangent[own]), 3 * fibers.half_of(m));
  }
  const double ratio = fiber_d(0.003) / fiber_d(0.009);
  // Forces are in weights of a fiber of half-length 1, and so three times as many.
  Pull pull;
  pull.at = {1, 2, 0};
  pull.force = {3, 0, -1};
  pull.core = 0.5;
  Pull larger = pull;
  larger.at = scaled(3, pull.at);
  larger.force = scaled(3, pull.force);
  larger.core = 1.5;
  const auto velocities = [&](const Placement& of, const Parameters& p, const Pull& by) {
    Array<double> x(backend(), 60, "x"), t(backend(), 60, "t"), v(backend(), 60, "v"), w(backend(), 60, "w"),
        a(backend(), 480, "a");
    x.upload(of.position);
    t.upload(of.tangent);
    Lengths lengths(backend(), of.half_length);
    Flow flow(backend(), 20, p, Kernel::stable, true);
    flow.set_lengths(&lengths);
    flow.evaluate(p, x.data(), t.data(), by, v.data(), w.data(), a.data());
    return v.download();
  };
  std::vector<double> expected = velocities(fibers, small, pull);
  for (double& v : expected) v *= ratio;
  EXPECT_LT(largest_relative_difference(velocities(tripled, large, larger), expected), 1e-10);
}

TEST_P(FiberLengthsRun, FluidUsesLengths) {
  // Three times as large, as above: near and far from the fibers, and within one.
  const auto fluid = [&](double size) {
    Parameters p;
    p.slenderness = 0.003 * size;
    const Placement cloud = unequal_cloud(6, 3, 0.5, 4);
    std::vector<double> a(6 * 5 * 3), poses, position = cloud.position, halves = cloud.half_length;
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = size * 0.1 * std::sin(1.0 + 3.7 * static_cast<double>(k));
    for (std::size_t m = 0; m < 6; ++m)
      for (const double distance : {0.0, 0.002, 0.3, 0.9, 1.3, 4.5})
        for (std::size_t c = 0; c < 3; ++c)
          poses.push_back(
              size * (position[3 * m + c] + 0.3 * cloud.tangent[3 * m + c] + (c == m % 3 ? distance : 0.1 * distance)));
    for (double& x : position) x *= size;
    for (double& half : halves) half *= size;
    Array<double> x(backend(), 18, "x"), t(backend(), 18, "t"), force(backend(), a.size(), "a");
    Array<double> at(backend(), poses.size(), "places"), u(backend(), poses.size(), "u"), half(backend(), 6, "half");
    x.upload(position);
    t.upload(cloud.tangent);
    force.upload(a);
    at.upload(poses);
    half.upload(halves);
    Fluid(backend()).velocity(p, {6, x.data(), t.data(), force.data(), half.data()}, {}, at.data(),
                              static_cast<int>(poses.size() / 3), u.data());
    std::vector<double> v = u.download();
    for (double& one : v) one *= fiber_d(p.slenderness);
    return v;
  };
  EXPECT_LT(largest_relative_difference(fluid(3), fluid(1)), 1e-11);
  // The fluid sticks to a level fiber of twice the length: its own fall, (d_L + 2)/(2 d).
  const Parameters p;
  const double d = fiber_d(p.slenderness), expected = (d + 2 * std::log(2.0) + 2) / (2 * d);
  Array<double> x(backend(), 3, "x"), t(backend(), 3, "t"), force(backend(), 15, "a"), half(backend(), 1, "half");
  Array<double> at(backend(), 3, "places"), u(backend(), 3, "u");
  x.upload(std::vector<double>{0, 0, 0});
  t.upload(std::vector<double>{1, 0, 0});
  force.fill_zero();
  half.upload(std::vector<double>{2});
  at.upload(std::vector<double>{0, 0.02 * std::sqrt(0.5), 0.02 * std::sqrt(0.5)});
  Fluid(backend()).velocity(p, {1, x.data(), t.data(), force.data(), half.data()}, {}, at.data(), 1, u.data());
  EXPECT_NEAR(-u.download()[2], expected, 1e-4) << "(2 eps/2)², the square of the radius over half the length";
}

TEST_P(FiberLengthsRun, RunResumesFromState) {
  const std::map<std::string, double> parameters = {
      {"radius", 3}, {"time_step", 0.2}, {"length_spread", 0.3}, {"contact", 1}, {"tracers", 20}};
  const auto run = make(30, parameters);
  run->step(4);
  const State half = run->save();
  const std::vector<double> lengths = half.get<double>("half_length", {30});
  EXPECT_NEAR(std::accumulate(lengths.begin(), lengths.end(), 0.0), 30, 1e-12);
  run->step(4);
  const State end = run->save();
  const auto same = [&](Simulation& other) {
    other.load(half);
    other.step(4);
    const State second = other.save();
    for (const char* name : {"position", "tangent", "velocity"})
      EXPECT_EQ(second.get<double>(name, {30, 3}), end.get<double>(name, {30, 3})) << name;
  };
  same(*make(30, parameters));
  auto plain = parameters;
  plain["length_spread"] = 0;
  const auto of_equal = make(30, plain);
  same(*of_equal);        // lengths are the state's, not the parameters'
  same(*make(7, plain));  // of another number

  // A state saved before lengths existed loads with equal lengths.
  State old = half;
  for (const char* name : {"half_length", "velocity", "spin", "force_coefficients", "velocity_previous"})
    old.datasets.erase(name);
  for (const char* name : {"position_previous", "tangent_previous", "spin_previous"}) old.datasets.erase(name);
  run->load(old);
  of_equal->load(old);
  run->step(2);
  of_equal->step(2);
  EXPECT_FALSE(of_equal->save().has("half_length"));
  EXPECT_FALSE(run->save().has("half_length"));
  EXPECT_EQ(run->save().get<double>("position", {30, 3}), of_equal->save().get<double>("position", {30, 3}));

  for (const double bad : {0.0, -1.0, 1e9, static_cast<double>(NAN), 0.06}) {
    State broken = half;
    std::vector<double> values = lengths;
    values[3] = bad;
    broken.put<double>("half_length", {30}, "length", values);
    EXPECT_THROW(run->load(broken), InputError) << bad;
  }
  State broken = half;
  broken.put<double>("half_length", {29}, "length", std::vector<double>(29, 1.1));
  EXPECT_THROW(run->load(broken), InputError);
}

TEST_P(FiberLengthsRun, LoneFibersFallByTheirLengths) {
  const auto run = make(9, {{"start", static_cast<double>(Start::lone)},
                            {"alone", 1},
                            {"length_spread", 0.5},
                            {"lengths", static_cast<double>(LengthKind::two)}});
  const std::vector<double> t = run->save().get<double>("tangent", {9, 3}),
                            half = run->save().get<double>("half_length", {9});
  run->step(10);
  const State end = run->save();
  const std::vector<double> x = end.get<double>("position", {9, 3});
  const double d = fiber_d(0.01), time = run->time();
  double mean = 0;
  for (std::size_t m = 0; m < 9; ++m) {
    const double own = d + 2 * std::log(half[m]), tz = t[3 * m + 2];
    EXPECT_NEAR(-x[3 * m + 2], time * (own + 2 + (own - 2) * tz * tz) / (2 * d), 1e-12) << half[m];
    mean += (own + 2 + (own - 2) * tz * tz) / (2 * d) / 9;
  }
  EXPECT_NEAR(scalar(run->diagnostics({}, true), "fall_theory"), mean, 1e-12);
  EXPECT_EQ(*std::min_element(half.begin(), half.end()), 0.5);
  EXPECT_EQ(*std::max_element(half.begin(), half.end()), 1.5);
}

TEST_P(FiberLengthsRun, ADroppedFiberHasItsLength) {
  const auto run = make(5, {{"radius", 3}});
  run->apply({"fiber", {{"x", 1}, {"y", 0}, {"z", 9}, {"length", 2}}, "", nullptr});
  EXPECT_EQ(run->save().get<double>("half_length", {6}), (std::vector<double>{1, 1, 1, 1, 1, 2}));
  run->step(2);
  EXPECT_THROW(run->apply({"fiber", {{"x", 1}, {"y", 0}, {"z", 19}, {"length", 0.1}}, "", nullptr}), InputError);
  EXPECT_THROW(run->set_parameter("slenderness", 0.09), InputError);
  run->apply({"fiber", {{"x", 1}, {"y", 0}, {"z", 19}}, "", nullptr});
  EXPECT_EQ(run->save().get<double>("half_length", {7}).back(), 1);
  run->apply({"new-cloud", {{"count", 8}}, "", nullptr});
  EXPECT_FALSE(run->save().has("half_length")) << "the run's own cloud has no spread";
  const auto spread = make(5, {{"radius", 3}, {"length_spread", 0.2}});
  spread->apply({"burst", {{"x", 1}, {"y", 0}, {"z", 19}, {"count", 7}}, "", nullptr});
  const std::vector<double> half = spread->save().get<double>("half_length", {12});
  EXPECT_NE(half[6], half[7]);
  EXPECT_NEAR(std::accumulate(half.begin(), half.end(), 0.0), 12, 1e-12);
}

TEST_P(FiberLengthsRun, OverlapsAndGaugeUseLengths) {
  const auto run = make(2, {{"start", static_cast<double>(Start::lone)}, {"terms", 3}});
  State state = run->save();
  for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
  state.put<double>("position", {2, 3}, "length", std::vector<double>{0, 0, 0, 2.51, 0, 0});
  state.put<double>("tangent", {2, 3}, "", std::vector<double>{1, 0, 0, 0, 0, 1});
  run->load(state);
  EXPECT_EQ(scalar(run->diagnostics({}, true), "overlaps"), 0);
  const double before = run->gauges().front().value;
  state.put<double>("half_length", {2}, "length", std::vector<double>{2.5, 0.5});
  run->load(state);
  const Diagnostics d = run->diagnostics({}, true);
  EXPECT_EQ(scalar(d, "overlaps"), 1);
  EXPECT_GT(run->gauges().front().value, before) << "the shorter one is thicker for its length";
}

TEST_P(FiberLengthsRun, ImageAndPointerUseLengths) {
  const auto run = make(1, {{"start", static_cast<double>(Start::lone)}, {"tilt", 0}, {"views", 1}});
  const auto drawn = [&] {
    const ColorTable table(backend(), find_colormap("viridis"));
    ViewSettings view;
    view.quantity = "length";
    view.minimum = 0;
    view.maximum = 2;
    Field<std::uint32_t> pixels(backend(), 100, 100, "picture");
    run->paint(pixels.view(), {}, view, table);
    const std::vector<std::uint32_t> all = pixels.download();
    int rows = 0;  // with a middle that differs from the edge
    for (std::size_t row = 0; row < 100; ++row)
      rows += all[100 * row + 50] != all[100 * row] || all[100 * row + 49] != all[100 * row];
    return rows;
  };
  // The picture is four lengths high; the pointer is 1.6 above the fiber's centre.
  Gesture g;
  g.tool = "turn";
  g.phase = Gesture::Phase::press;
  g.x = g.previous_x = g.start_x = 0.5;
  g.y = g.previous_y = g.start_y = 0.9;
  const int usual = drawn();
  EXPECT_EQ(run->interpret(g).front().get("fiber"), -1);
  State state = run->save();
  for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
  state.put<double>("half_length", {1}, "length", std::vector<double>{1.8});
  run->load(state);
  EXPECT_NEAR(drawn(), 1.8 * usual, 3);
  EXPECT_EQ(run->interpret(g).front().get("fiber"), 0);
  EXPECT_NE(run->value_at(0.5, 0.9, {}).english().find("length 1.8"), std::string::npos);
}

TEST_P(FiberLengthsRun, RejectsTooShortFibersWithMessage) {
  const std::string error = error_thrown_by([&] { make(10, {{"length_spread", 0.5}}); });
  EXPECT_NE(error.find("length_spread"), std::string::npos) << error;
  EXPECT_NE(error.find("Lower"), std::string::npos) << error;
  make(10, {{"length_spread", 0.5}, {"terms", 3}});
}

}  // namespace
}  // namespace perturb::fibers
