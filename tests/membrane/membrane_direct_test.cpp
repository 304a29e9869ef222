// Direct solutions of small systems: they agree with the iteration, follow every change of the matrices, depend on
// nothing but the parameters, and fall back to the iteration where they are not exact enough.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/spectrum.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

class MembraneDirect : public OnEachBackend {
 protected:
  static perturb::Setup setup(std::map<std::string, double> more = {}) {
    perturb::Setup s;
    s.simulation = "membrane";
    s.width = s.height = 16;
    s.parameters = {{"level", 2}, {"degree", 3},     {"sigma", 0},       {"frequency", 3},
                    {"sweep", 1}, {"sweep_from", 3}, {"sweep_to", 6.25}, {"time_step", 0.05}};
    for (const auto& [id, value] : more) s.parameters[id] = value;
    return s;
  }
  std::unique_ptr<Simulation> drum(std::map<std::string, double> more = {}) { return create(backend(), setup(more)); }
  static bool same_bytes(const State& a, const State& b, const char* name) {
    return a.datasets.at(name).bytes == b.datasets.at(name).bytes;
  }
};
PERTURB_ON_EACH_BACKEND(MembraneDirect);

// The bound of the residual holds, for even and uneven covers, all sides, both bases and complex systems. The norm of
// (K + M)⁻¹ comes from the iteration.
TEST_P(MembraneDirect, BoundOfTheResidualHolds) {
  struct Case {
    Cover cover;
    int free_sides;  // a bit for each
    Basis basis;
  };
  const Case cases[] = {{Cover(2, 3), 0, Basis::legendre},    {Cover(2, 3), 15, Basis::legendre},
                        {Cover(2, 3), 1, Basis::legendre},    {Cover(2, 3), 4, Basis::monomial},
                        {Cover(1, 5), 0, Basis::monomial},    {Cover(0, 4), 0, Basis::legendre},
                        {mixed_cover(2), 0, Basis::legendre}, {hp_cover(), 6, Basis::legendre}};
  for (const Case& one : cases) {
    Parameters p;
    Side* const of_side[4] = {&p.boundary_left, &p.boundary_right, &p.boundary_bottom, &p.boundary_top};
    for (int k = 0; k < 4; ++k) *of_side[k] = (one.free_sides >> k & 1) != 0 ? Side::free : Side::fixed;
    p.basis = one.basis;
    p.source_x = 0.31;
    p.source_y = 0.42;
    Discretisation d(backend(), one.cover, p);
    const Form form = membrane_form(p, d.structure().highest_degree);
    d.assemble(Kernel::rows, form, true, true);
    d.compute_spectrum(p.boundary_left == p.boundary_right, p.boundary_bottom == p.boundary_top);
    ASSERT_TRUE(d.spectrum().usable());
    ASSERT_EQ(d.spectrum().count(), static_cast<std::size_t>(d.structure().unknowns));
    d.solver().prepare(d.matrix(1), form, Preconditioner::multilevel);
    const auto n = static_cast<std::size_t>(d.structure().unknowns);
    Array<double> u(backend(), n, "u"), q(backend(), n, "q"), r(backend(), n, "r"), z(backend(), n, "z");
    const auto norm = [&](const double* of) {
      z.fill_zero();
      const Solved inner = d.solver().solve(d.matrix(1), true, of, z.data(), {Preconditioner::multilevel, 1e-6, 1000});
      EXPECT_TRUE(inner.converged);
      return std::sqrt(std::max(d.solver().dot(of, z.data()), 0.0));
    };
    const double whole = norm(d.load().data());
    constexpr double rounding = 1e-11;  // of the products, relative to the load
    for (const double shift : {2.0, -7.0, -130.0, 1e5})
      for (const double coupling : {0.0, 1.5}) {
        const Solved solved = solve_directly(d.spectrum(), shift, coupling, d.load().data(), u.data(), q.data());
        EXPECT_TRUE(solved.direct);
        EXPECT_LT(solved.residual, 1e-8) << shift;
        EXPECT_GT(solved.residual, 0);
        // F - (K + s M) u + c M q.
        d.solver().apply(d.mass_matrix(), q.data(), z.data());
        d.solver().combine(1, d.load().data(), coupling, z.data(), 0, nullptr, z.data());
        d.solver().apply(d.matrix(shift), u.data(), r.data());
        d.solver().combine(1, z.data(), -1, r.data(), 0, nullptr, r.data());
        EXPECT_LT(norm(r.data()) / whole, solved.residual + rounding) << shift << ' ' << coupling;
        if (coupling == 0) continue;
        // 0 - (K + s M) q - c M u.
        d.solver().apply(d.mass_matrix(), u.data(), z.data());
        d.solver().apply(d.matrix(shift), q.data(), r.data());
        d.solver().combine(-1, r.data(), -coupling, z.data(), 0, nullptr, r.data());
        EXPECT_LT(norm(r.data()) / whole, solved.residual + rounding) << shift << ' ' << coupling;
      }
  }
}

// Every small scene that oscillates or moves: the same run with both solvers. The iteration stops at a residual of
// 1e-11; the systems amplify it by at most a few thousand.
TEST_P(MembraneDirect, AgreesWithTheIterationInEveryScene) {
  for (const char* name : {"chladni", "damped", "drum", "struck"}) {
    SCOPED_TRACE(name);
    const auto run = [&](double solver) {
      perturb::Setup s = load_scene(std::string("membrane/") + name).setup;
      s.width = s.height = 16;
      s.parameters["solver"] = solver;
      s.parameters["tolerance"] = 1e-11;
      s.parameters["max_iterations"] = 5000;
      auto membrane = create(backend(), s);
      membrane->step(12);
      EXPECT_EQ(scalar(*membrane, "iterations") == 0, solver == 0);
      const Gauge residual = gauge_of(*membrane, "residual");
      EXPECT_EQ(residual.level(), Gauge::Level::good);
      EXPECT_EQ(residual.help.english().find("directly") != std::string::npos, solver == 0) << residual.help.english();
      return membrane;
    };
    const auto direct = run(0), iterated = run(1);
    std::vector<const char*> fields = {"coefficients"};
    if (std::string(name) == "damped") fields.push_back("lag");
    if (std::string(name) == "struck") fields.push_back("velocity");
    for (const char* field : fields)
      EXPECT_LT(relative_difference(saved_numbers(*direct, field), saved_numbers(*iterated, field)), 1e-7) << field;
    for (const char* id : {"response", "energy"})
      EXPECT_NEAR(scalar(*direct, id), scalar(*iterated, id), 1e-7 * std::abs(scalar(*iterated, id))) << id;
  }
}

TEST_P(MembraneDirect, FindsTheModesOfTheIterationInOneStep) {
  const auto at_once = drum({{"motion", 2}, {"sweep", 0}}),
             searched = drum({{"motion", 2}, {"sweep", 0}, {"solver", 1}});
  at_once->step(1);
  searched->step(80);
  EXPECT_TRUE(at_once->gauges().front().measured);
  ASSERT_TRUE(searched->gauges().front().measured);
  const std::vector<double> direct = saved_numbers(*at_once, "mode_values"),
                            iterated = saved_numbers(*searched, "mode_values");
  for (std::size_t k = 0; k < 16; ++k) {
    EXPECT_NEAR(direct[2 * k], iterated[2 * k], 1e-8 * direct[2 * k]) << k + 1;  // the square of the vectors' error
    EXPECT_LT(direct[2 * k + 1], 1e-9) << k + 1;
  }
  // Alone at its frequency, so that the mixture is the same.
  EXPECT_LT(relative_difference(saved_numbers(*at_once, "coefficients"), saved_numbers(*searched, "coefficients")),
            1e-4);
}

// A solution depends on the parameters alone: a run whose matrices change has the bits of one that starts with them.
TEST_P(MembraneDirect, ChangedMatricesAreFactoredAgain) {
  for (const auto& [id, value] : std::map<std::string, double>{{"nitsche", 20},
                                                               {"boundary_left", 1},
                                                               {"overlap", 1.5},
                                                               {"integration_level", 6},
                                                               {"basis", 1},
                                                               {"damping", 0.4}}) {
    SCOPED_TRACE(id);
    const auto changed = drum(), expected = drum({{id, value}});
    changed->step(2);
    const State before = changed->save();
    changed->set_parameter(id, value);
    changed->step(1);
    expected->step(3);
    EXPECT_EQ(scalar(*changed, "iterations"), 0);
    const State now = changed->save();
    EXPECT_FALSE(same_bytes(now, before, "coefficients"));
    EXPECT_TRUE(same_bytes(now, expected->save(), "coefficients"));
  }
  // A refined cover, and the uniform one again.
  const auto changed = drum();
  const Action split{"split", {{"x", 0.3}, {"y", 0.3}}, "", nullptr};
  changed->apply(split);
  changed->step(1);
  perturb::Setup refined = setup();
  refined.actions = {split};
  const auto expected = create(backend(), refined);
  expected->step(1);
  EXPECT_EQ(scalar(*changed, "iterations"), 0);
  EXPECT_TRUE(same_bytes(changed->save(), expected->save(), "coefficients"));
}

TEST_P(MembraneDirect, ContinuesFromAFileBitForBit) {
  for (const auto& more : std::vector<std::map<std::string, double>>{
           {}, {{"damping", 0.3}}, {{"motion", 1}, {"time_step", 0.01}}, {{"motion", 2}, {"sweep", 0}}}) {
    const auto membrane = drum(more), other = drum(more);
    membrane->step(4);
    other->set_parameter("frequency", membrane->parameters().get("frequency"));  // the sweep has changed it
    other->load(membrane->save());
    for (Simulation* one : {membrane.get(), other.get()}) {
      one->step(2);
      one->apply(Action{"source", {{"x", 0.7}, {"y", 0.2}, {"strength", 2}}, "", nullptr});
      one->step(3);
    }
    const State a = membrane->save(), b = other->save();
    for (const auto& [name, data] : a.datasets) EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << name;
  }
}

TEST_P(MembraneDirect, UndoReturnsToTheBitsBefore) {
  Scene scene;
  scene.setup = setup({{"motion", 1}, {"time_step", 0.01}});
  Experiment run(backend(), scene), other(backend(), scene);
  run.advance(5);
  run.perform(Action{"strike", {{"x", 0.4}, {"y", 0.6}, {"velocity", 2}}, "", nullptr});
  run.advance(4);
  run.perform(Action{"source", {{"x", 0.7}, {"y", 0.2}, {"strength", 2}}, "", nullptr});
  run.advance(2);
  run.undo();
  run.undo();
  other.advance(run.simulation().save().steps);
  const State undone = run.simulation().save(), expected = other.simulation().save();
  for (const char* name : {"coefficients", "velocity"}) EXPECT_TRUE(same_bytes(undone, expected, name)) << name;
}

TEST(MembraneDirectThreads, AnyNumberGivesTheSameBits) {
  std::vector<std::vector<std::byte>> bytes;
  for (const int threads : {1, 3}) {
    const auto cpu = Backend::make_cpu(threads);
    perturb::Setup s;
    s.simulation = "membrane";
    s.width = s.height = 16;
    s.parameters = {{"level", 3}, {"degree", 4}, {"sigma", 0}, {"frequency", 7}, {"damping", 0.3}};
    const auto membrane = create(*cpu, s);
    bytes.push_back(membrane->save().datasets.at("coefficients").bytes);
    bytes.push_back(membrane->save().datasets.at("lag").bytes);
  }
  EXPECT_TRUE(bytes[0] == bytes[2]);
  EXPECT_TRUE(bytes[1] == bytes[3]);
}

// The iteration remains for large covers, matrices of every step, static loads, tolerances below the bound, and where
// it is chosen.
TEST_P(MembraneDirect, IteratesWhereItMust) {
  const auto iterations = [&](std::map<std::string, double> more) {
    const auto membrane = drum(more);
    membrane->step(1);
    return scalar(*membrane, "iterations");
  };
  EXPECT_EQ(iterations({}), 0);
  EXPECT_GT(iterations({{"level", 4}}), 0);
  EXPECT_GT(iterations({{"assembly", 1}}), 0);
  EXPECT_GT(iterations({{"frequency", 0}, {"sweep", 0}}), 0);
  EXPECT_GT(iterations({{"solver", 1}}), 0);
  EXPECT_GT(iterations({{"tolerance", 1e-14}}), 0);
}

}  // namespace
}  // namespace perturb::membrane
