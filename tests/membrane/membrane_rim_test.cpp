// Boundary values: the film between them, the same result with all kernels, and old states without them.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/membrane/membrane.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

class MembraneBoundaryValues : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> framed(std::map<std::string, double> more, std::vector<Action> actions = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {{"level", 3},
                        {"sigma", 0},
                        {"rim", 1},
                        {"source_strength", 0},
                        {"tolerance", 1e-12},
                        {"corner_bottom_left", 0.25},
                        {"corner_bottom_right", -1},
                        {"corner_top_left", 0.5},
                        {"corner_top_right", 3}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    setup.actions = std::move(actions);
    return create(backend(), setup);
  }
  static double frame(double x, double y) { return (1 - y) * ((1 - x) * 0.25 - x) + y * ((1 - x) * 0.5 + x * 3); }
};
PERTURB_ON_EACH_BACKEND(MembraneBoundaryValues);

TEST_P(MembraneBoundaryValues, AFilmInABentFrameIsTheFramesSaddle) {
  ViewSettings view;
  view.quantity = "displacement";
  for (const bool free : {false, true}) {
    const double side = free ? 1 : 0;
    // Weights of refined covers are not products: integration with q = p leaves an error of 1e-6 of the height.
    for (const bool refined : {false, true}) {
      const auto film = framed(
          {{"boundary_right", side},
           {"boundary_bottom", side},
           {"basis", free ? 1.0 : 0.0},
           {"integration_level", refined ? 10.0 : 0.0}},
          refined ? std::vector<Action>{{"split", {{"x", 0.9}, {"y", 0.1}}, "", nullptr}} : std::vector<Action>{});
      for (const double x : {0.01, 0.37, 0.99})
        for (const double y : {0.02, 0.61, 0.98})
          EXPECT_NEAR(std::stod(film->value_at(x, y, view).english()), frame(x, y), 1e-3)
              << "in four digits " << x << ' ' << y;
      EXPECT_LT(scalar(*film, "error"), 1e-10) << "the solution is known here";
    }
  }
}

// g = x has a slope at one side only, which reveals a wrong sign or a confused side.
TEST_P(MembraneBoundaryValues, ASlopeGivenAtOneSideTiltsTheFilm) {
  const auto film = framed({{"corner_bottom_left", 0},
                            {"corner_bottom_right", 2},
                            {"corner_top_left", 0},
                            {"corner_top_right", 2},
                            {"boundary_right", 1},
                            {"boundary_bottom", 1},
                            {"boundary_top", 1},
                            {"degree", 1}});
  EXPECT_LT(scalar(*film, "error"), 1e-10) << "2x lies in the space of p = 1 too";
  EXPECT_NEAR(scalar(*film, "energy"), 2, 1e-9) << "half of |grad u|² = 4";
}

TEST_P(MembraneBoundaryValues, EveryKernelGivesTheSameLoad) {
  Parameters p;
  p.rim = RimShape::wave;
  p.boundary_left = Side::free;
  p.level = 3;
  for (const int degree : {1, 3}) {
    const Cover cover(3, degree);
    std::vector<std::vector<double>> loads;
    for (const Kernel kernel : {Kernel::rows, Kernel::cells, Kernel::tensor}) {
      Discretisation d(backend(), cover, p);
      d.assemble(kernel, membrane_form(p, degree), true, true);
      loads.push_back(d.load().download());
    }
    double largest = 0;
    for (const double v : loads[0]) largest = std::max(largest, std::abs(v));
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
      for (std::size_t i = 0; i < loads[0].size(); ++i) ASSERT_NEAR(loads[k][i], loads[0][i], 1e-12 * largest);
  }
}

// The wave also grows with the frequency: all sides fixed, k below m pi.
TEST_P(MembraneBoundaryValues, OscillatingBoundaryPenetrationDependsOnFrequency) {
  const auto film = framed({{"rim", 2}, {"rim_waves", 2}, {"frequency", 3}, {"level", 4}, {"degree", 4}});
  const double q = std::sqrt(4 * M_PI * M_PI - 9);
  ViewSettings view;
  view.quantity = "amplitude";
  EXPECT_NEAR(std::stod(film->value_at(0.25, 0.6, view).english()), std::sinh(0.6 * q) / std::sinh(q), 6e-5)
      << "in four digits";
  EXPECT_LT(scalar(*film, "error"), 1e-5);
}

TEST_P(MembraneBoundaryValues, LoadsStateWithoutBoundaryValues) {
  const auto film = framed({{"rim", 0}, {"source_strength", 1}});
  film->step(2);
  const State now = film->save();
  State old = now;
  const std::vector<double> all = now.get<double>("solved_for", {parameter_table().size()});
  old.put<double>("solved_for", {first_parameters}, "",
                  std::vector<double>(all.begin(), all.begin() + first_parameters));
  const auto other = framed({{"rim", 0}, {"source_strength", 1}});
  other->load(old);
  EXPECT_TRUE(other->save().datasets.at("coefficients").bytes == now.datasets.at("coefficients").bytes);
  old.put<double>("solved_for", {3}, "", std::vector<double>{1, 0, 0});
  EXPECT_THROW(other->load(old), InputError);
  EXPECT_EQ(parameter_table()[first_parameters - 1].id, "show_nodal_lines") << "and none before it";
}

}  // namespace
}  // namespace perturb::membrane
