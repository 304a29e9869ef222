// A load by formula: the same as a built-in one, in all kernels and covers; what is refused; saved and continued.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/simulation/formula.h"
#include "cuda/membrane/membrane.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

constexpr const char* bump = "exp(-((x - 0.3)^2 + (y - 0.4)^2) / 0.15^2)";

class MembraneFormula : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> loaded(std::map<std::string, double> more, std::vector<Action> actions = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {
        {"level", 3}, {"tolerance", 1e-12}, {"source_x", 0.3}, {"source_y", 0.4}, {"source_width", 0.15}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    setup.actions = std::move(actions);
    return create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(MembraneFormula);

TEST_P(MembraneFormula, OfABumpGivesTheBumpsLoadInEveryKernel) {
  for (const Cover& cover : {Cover(3, 2), hp_cover()}) {
    Parameters p;
    p.source_x = 0.3;
    p.source_y = 0.4;
    p.source_width = 0.15;
    p.source_strength = 2;
    Parameters by_formula = p;
    by_formula.load = Load::formula;
    by_formula.load_formula = formula_number(bump);
    Discretisation d(backend(), cover, p);
    for (const Kernel kernel : {Kernel::rows, Kernel::cells, Kernel::tensor}) {
      d.assemble(kernel, membrane_form(p, cover.highest_degree()), false, true);
      const std::vector<double> expected = d.load().download();
      d.assemble(kernel, membrane_form(by_formula, cover.highest_degree()), false, true);
      const std::vector<double> got = d.load().download();
      for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-15) << k;
    }
  }
}

TEST_P(MembraneFormula, ChangesWhileTheMembraneRests) {
  const auto membrane = loaded({{"load", 2}});
  membrane->step(1);
  const double uniform = scalar(*membrane, "largest");
  membrane->set_parameter("load_formula", formula_number("3"));
  membrane->step(1);
  EXPECT_NEAR(scalar(*membrane, "largest"), 3 * uniform, 1e-6 * uniform);
  membrane->set_parameter("source_strength", -1);
  membrane->step(1);
  EXPECT_NEAR(scalar(*membrane, "largest"), 3 * uniform, 1e-6 * uniform);
}

TEST_P(MembraneFormula, IsShownAsTheLoad) {
  const auto membrane = loaded({{"load", 2}, {"load_formula", formula_number("x - 2 * y")}, {"source_strength", 3}});
  ViewSettings view;
  view.quantity = "load";
  EXPECT_NEAR(*membrane->number_at(0.75, 0.25, view), 0.75, 1e-9);
  EXPECT_EQ(membrane->diagnostics(view, true).maximum, 6);
}

// The solution, which the state has, may be of another formula than the parameters: both are saved.
TEST_P(MembraneFormula, ContinuesFromAStateBitForBit) {
  const auto membrane = loaded({{"load", 2}, {"load_formula", formula_number("x * y - 0.2")}});
  membrane->step(1);
  membrane->set_parameter("load_formula", formula_number("x * y - 0.3"));
  const State state = membrane->save();
  const auto again = loaded({{"load", 2}, {"load_formula", formula_number("x * y - 0.3")}});
  again->load(state);
  EXPECT_EQ(saved_numbers(*again, "coefficients"), saved_numbers(*membrane, "coefficients"));
  again->step(1);
  membrane->step(1);
  EXPECT_EQ(saved_numbers(*again, "coefficients"), saved_numbers(*membrane, "coefficients"));
}

TEST(Formula, OfThePlaneIsItsProgram) {
  for (const auto& [text, value] : {std::pair{"x - y", -0.5},
                                    {"2^-x^2 * y", 0.75 / std::pow(2, 0.0625)},
                                    {"-(x + 1) / (y - 2)", 1},
                                    {"sqrt(abs(x - y)) + exp(0) + log(1)", 1 + std::sqrt(0.5)},
                                    {"cos(pi * x)^2 - asin(1) / deg", 0.5 - 90}}) {
    const double number = formula_number(text);
    EXPECT_EQ(formula_number(text), number);
    EXPECT_NEAR(formula_of(number).program(0.25, 0.75), value, 1e-14) << text;
  }
  EXPECT_EQ(formula_of(0).text, "1");
  EXPECT_EQ(formula_of(formula_number("3 * (x - y)")).largest, 3);
  EXPECT_EQ(find_formula(1e9), nullptr);
  EXPECT_EQ(find_formula(0.5), nullptr);
}

TEST(Formula, IsRefusedWithTheReason) {
  const auto reason = [](const std::string& text) -> std::string {
    return error_thrown_by([&] { formula_number(text); });
  };
  EXPECT_NE(reason("1 / (x - 0.5)").find("at x = 0.5, y = 0"), std::string::npos) << reason("1 / (x - 0.5)");
  EXPECT_NE(reason("sqrt(y - 0.25)").find("at x = 0, y = 0"), std::string::npos);
  EXPECT_NE(reason("exp(30 * x)").find("1e+09"), std::string::npos) << reason("exp(30 * x)");
  EXPECT_NE(reason("x + t").find("There is no \"t\""), std::string::npos);
  EXPECT_NE(reason("(x").find("closing bracket"), std::string::npos);
  EXPECT_NE(reason("").find("Missing value"), std::string::npos);
  std::string many = "x", deep = "x";
  for (int k = 0; k < 60; ++k) many += " + y";
  for (int k = 0; k < 20; ++k) deep = "(y + " + deep + ")";
  EXPECT_NE(reason(many).find("too long"), std::string::npos);
  EXPECT_NE(reason(deep).find("too long"), std::string::npos);
  EXPECT_NE(reason(std::string(500, ' ') + "x").find("too long"), std::string::npos);
}

}  // namespace
}  // namespace perturb::membrane
