// Where the iteration does not converge, the matrix is factored, or the user's change is rejected: no change ends a
// run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/factorization.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

using Numbers = std::map<std::string, double>;

class MembraneFactored : public OnEachBackend {
 protected:
  static Scene scene_of(const Numbers& more) {
    Scene scene;
    scene.setup.simulation = "membrane";
    scene.setup.width = scene.setup.height = 16;
    scene.setup.parameters = {{"level", 3}, {"degree", 3}, {"sigma", 0}, {"source_x", 0.31}, {"source_y", 0.42}};
    for (const auto& [id, value] : more) scene.setup.parameters[id] = value;
    return scene;
  }
  // With one patch split: too many unknowns for the direct solver, so that oscillations are iterated too.
  std::unique_ptr<Simulation> refined(const Numbers& more) {
    auto membrane = create(backend(), scene_of(more).setup);
    membrane->apply(Action{"split", {{"x", 0.7}, {"y", 0.2}}, "", nullptr});
    return membrane;
  }
  static bool is_factored(const Simulation& membrane) {
    return gauge_of(membrane, "residual").help.english().find("factored") != std::string::npos;
  }
};
PERTURB_ON_EACH_BACKEND(MembraneFactored);

// The factors solve what they claim, for matrices that are definite, indefinite and complex, and nearly singular ones.
TEST_P(MembraneFactored, SolutionsAreExactToRounding) {
  for (const double overlap : {1.001, 1.3, 1.999})
    for (const Cover& cover : {Cover(2, 5), hp_cover()}) {
      Parameters p;
      p.overlap = overlap;
      p.source_x = 0.31;
      p.source_y = 0.42;
      Discretisation d(backend(), cover, p);
      d.assemble(Kernel::rows, membrane_form(p, d.structure().highest_degree), true, true);
      const auto n = static_cast<std::size_t>(d.structure().unknowns);
      const std::vector<double> load = d.load().download();
      for (const double shift : {1.0, -130.0, 2.5e5})
        for (const double coupling : {0.0, 20.0}) {
          SCOPED_TRACE(testing::Message() << overlap << ' ' << n << ' ' << shift << ' ' << coupling);
          const bool pair = coupling != 0;
          std::vector<double> x = load;
          x.resize(pair ? 2 * n : n);
          Factorization factorization;
          factorization.compute(d.structure(), d.stiffness().download(), d.mass().download(), shift, coupling, pair);
          EXPECT_LT(factorization.solve(x), 1e-14);
          // F - (K + s M) u + c M q, with the simulation's own products.
          Array<double> u(backend(), x.size(), "u"), r(backend(), n, "r"), z(backend(), n, "z");
          u.upload(x);
          z.fill_zero();
          if (pair) d.solver().apply(d.mass_matrix(), u.data() + n, z.data());
          d.solver().apply(d.matrix(shift), u.data(), r.data());
          const std::vector<double> product = r.download(), coupled = z.download();
          double most = 0, rest = 0;
          for (std::size_t k = 0; k < n; ++k) {
            most = std::max(most, std::abs(load[k]));
            rest = std::max(rest, std::abs(load[k] - product[k] + coupling * coupled[k]));
          }
          // Where functions nearly depend on each other the products are much larger than the load.
          EXPECT_LT(rest, 1e-9 * most);
        }
    }
}

// A single iteration never suffices: the factors then give the solutions to which a long iteration converges, for each
// kind of motion.
TEST_P(MembraneFactored, AgreesWithTheIteration) {
  SKIP_UNDER_SANITIZERS("a comparison of two solvers; smaller tests run both");
  struct Case {
    const char* name;
    Numbers parameters;
    std::vector<const char*> fields;
  };
  const Case cases[] = {
      {"static", {}, {"u"}},
      {"driven", {{"frequency", 9}}, {"u"}},
      {"damped", {{"frequency", 9}, {"damping", 0.5}}, {"u", "lag"}},
      {"in time", {{"motion", 1}, {"time_step", 0.01}}, {"u", "velocity"}},
      {"modes", {{"motion", 2}}, {"mode_values"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto run = [&](double solver, double most) {
      Numbers parameters = one.parameters;
      parameters["solver"] = solver;
      parameters["max_iterations"] = most;
      parameters["tolerance"] = 1e-11;
      auto membrane = refined(parameters);
      membrane->step(one.parameters.contains("motion") ? 20 : 1);
      EXPECT_EQ(gauge_of(*membrane, "residual").level(), Gauge::Level::good);
      return membrane;
    };
    const auto iterated = run(1, 5000), factored = run(0, 1);
    EXPECT_FALSE(is_factored(*iterated));
    EXPECT_TRUE(is_factored(*factored));
    for (const char* field : one.fields) {
      if (std::string(field) == "mode_values") {
        // The highest ones are not found yet.
        const std::vector<double> a = saved_numbers(*iterated, field), b = saved_numbers(*factored, field);
        for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(b[2 * k], a[2 * k], 1e-8 * a[2 * k]) << k + 1;
      } else {
        EXPECT_LT(relative_difference(saved_numbers(*iterated, field), saved_numbers(*factored, field)), 1e-7) << field;
      }
    }
  }
}

// Ends of random users' runs: patches that overlap nearly twice, then other degrees and cells, and a tolerance
// that rounding does not allow.
TEST_P(MembraneFactored, LargestOverlapEndsNoScene) {
  SKIP_AT_SMALL_REACH("many iterations; smaller tests run the same kernels");
  for (const char* name : {"chladni", "damped", "drum", "frame", "known", "struck"}) {
    SCOPED_TRACE(name);
    Scene scene = load_scene(std::string("membrane/") + name);
    scene.setup.width = scene.setup.height = 16;
    scene.setup.parameters["max_iterations"] = 200;  // a thousand fail too, but take longer
    Experiment run(backend(), scene);
    const auto continues = [&] {
      run.advance(3);
      EXPECT_EQ(run.stop_reason(), "");
      EXPECT_NE(gauge_of(run.simulation(), "residual").level(), Gauge::Level::exceeded);
    };
    run.set_parameter("overlap", 1.999);
    continues();
    run.perform(Action{"lower", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
    run.perform(Action{"split", {{"x", 0.8}, {"y", 0.6}}, "", nullptr});
    continues();
    if (std::string(name) == "struck") {
      run.perform(Action{"strike", {{"x", 0.3}, {"y", 0.3}}, "", nullptr});
      continues();
    }
    run.set_parameter("tolerance", 1e-14);
    continues();
    run.set_parameter("overlap", 1.3);
    run.set_parameter("max_iterations", 1);
    continues();
  }
}

// After an iteration has failed, later ones are omitted. A saved run remembers this: an iteration that starts next to
// its solution would converge and give other digits.
TEST_P(MembraneFactored, SavedRunContinuesWithTheSameBits) {
  const Numbers parameters = {{"max_iterations", 3}};
  const auto membrane = refined(parameters);
  membrane->step(1);
  ASSERT_TRUE(is_factored(*membrane));
  const State saved = membrane->save();
  ASSERT_TRUE(saved.has("factored"));
  const auto resumed = refined(parameters);
  resumed->load(saved);
  for (Simulation* one : {membrane.get(), resumed.get()}) {
    one->set_parameter("source_x", 0.31 + 1e-9);
    one->step(1);
    EXPECT_TRUE(is_factored(*one));
  }
  for (const auto& [name, data] : membrane->save().datasets)
    EXPECT_TRUE(data.bytes == resumed->save().datasets.at(name).bytes) << name;
  // Other parameters of the solver: it iterates again.
  membrane->set_parameter("max_iterations", 1000);
  membrane->step(1);
  EXPECT_FALSE(is_factored(*membrane));
  EXPECT_FALSE(membrane->save().has("factored"));
}

// The solver "Iterative" never factors: a change with which it would not converge is rejected.
TEST_P(MembraneFactored, IterativeSolverRejectsChangesThatWouldNotConverge) {
  Experiment run(backend(), scene_of({{"solver", 1}}));
  run.advance(1);
  const State before = run.simulation().save();
  const auto rejected = [&](const std::function<void()>& change, const char* what) {
    try {
      change();
      ADD_FAILURE() << what << " was possible";
    } catch (const InputError& error) {
      for (const char* part : {what, "would not converge", "Automatic"})
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in " << error.what();
    }
  };
  rejected([&] { run.set_parameter("max_iterations", 2); }, "max_iterations");
  run.set_parameter("max_iterations", 100);
  rejected([&] { run.set_parameter("overlap", 1.999); }, "overlap");
  rejected([&] { run.perform(Action{"frequency", {{"k", 33}}, "", nullptr}); }, "frequency");
  // A change that converges is possible, and a rejected change leaves no trace.
  run.set_parameter("max_iterations", 1000);
  EXPECT_EQ(run.simulation().parameters().get("overlap"), 1.3);
  EXPECT_TRUE(run.simulation().save().datasets.at("coefficients").bytes == before.datasets.at("coefficients").bytes);
  run.set_parameter("overlap", 1.5);
  run.perform(Action{"split", {{"x", 0.7}, {"y", 0.2}}, "", nullptr});
  run.advance(1);
  EXPECT_EQ(gauge_of(run.simulation(), "residual").level(), Gauge::Level::good);
  // With "Automatic" everything is.
  run.set_parameter("solver", 0);
  run.set_parameter("overlap", 1.999);
  run.set_parameter("max_iterations", 2);
  run.advance(70);
  EXPECT_EQ(run.stop_reason(), "");
  EXPECT_EQ(gauge_of(run.simulation(), "residual").level(), Gauge::Level::good);
}

}  // namespace
}  // namespace perturb::membrane
