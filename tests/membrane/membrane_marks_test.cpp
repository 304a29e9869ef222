// Theory drawn over the membrane: the computed membrane is at rest on the nodal lines of theory.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "cuda/membrane/measure/marks.h"
#include "cuda/membrane/membrane.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

class MembraneMarks : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> solved(const std::map<std::string, double>& parameters, int steps = 1) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 64;
    setup.parameters = {{"level", 3}, {"degree", 4}, {"sigma", 0}, {"time_step", 0.01}};
    for (const auto& [id, value] : parameters) setup.parameters[id] = value;
    auto membrane = create(backend(), setup);
    membrane->step(steps);
    return membrane;
  }
  // The largest |u| on the marks, as a share of the largest anywhere.
  static double largest_on_marks(Simulation& membrane) {
    ViewSettings view;
    view.quantity = "amplitude";
    const Diagnostics d = membrane.diagnostics(view, true);
    EXPECT_FALSE(d.marks.empty());
    double most = 0, all = 1e-300;
    for (const TheoryMark& mark : d.marks)
      for (std::size_t k = 0; k < mark.points.size(); k += 3)
        most = std::max(most, std::abs(membrane.number_at(mark.points[k].x, mark.points[k].y, view).value_or(0)));
    for (int j = 1; j < 32; ++j)
      for (int i = 1; i < 32; ++i)
        all = std::max(all, std::abs(membrane.number_at(i / 32.0, j / 32.0, view).value_or(0)));
    return most / all;
  }
};
PERTURB_ON_EACH_BACKEND(MembraneMarks);

// The modes 2 and 3 have one frequency: the computed one is any sum of both. 4 is (2, 2).
TEST_P(MembraneMarks, ComputedModesRestOnTheNodalLinesOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory");
  for (const int mode : {2, 3, 4}) {
    const auto membrane = solved({{"motion", 2}, {"mode_number", static_cast<double>(mode)}}, 40);
    EXPECT_LT(largest_on_marks(*membrane), 0.02) << mode;
  }
}

TEST_P(MembraneMarks, DrivenMembraneRestsOnTheNodalLinesOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory");
  // Chladni's sand, with four free sides (choice 1), and a drum with fixed ones. The patches, 1/8 wide, resolve a load
  // of this width.
  EXPECT_LT(largest_on_marks(*solved({{"frequency", 21.3},
                                      {"source_x", 0.5},
                                      {"source_y", 0.5},
                                      {"source_width", 0.1},
                                      {"boundary_left", 1},
                                      {"boundary_right", 1},
                                      {"boundary_bottom", 1},
                                      {"boundary_top", 1}})),
            0.03);
  EXPECT_LT(
      largest_on_marks(*solved({{"frequency", 9}, {"source_x", 0.31}, {"source_y", 0.42}, {"source_width", 0.1}})),
      0.03);
}

TEST_P(MembraneMarks, GreatestDeflectionIsThatOfTheComputedMembrane) {
  const auto membrane = solved({{"sigma", 1}, {"source_x", 0.35}, {"source_y", 0.6}, {"source_width", 0.12}});
  ViewSettings view;
  view.quantity = "amplitude";
  const Diagnostics d = membrane->diagnostics(view, true);
  ASSERT_EQ(d.marks.size(), 1u);
  const CurvePoint at = d.marks[0].points[0];
  const double here = std::abs(membrane->number_at(at.x, at.y, view).value_or(0));
  EXPECT_NEAR(here / scalar(d, "largest"), 1, 0.002);
  for (const double off : {-0.03, 0.03}) {
    EXPECT_LT(std::abs(membrane->number_at(at.x + off, at.y, view).value_or(0)), here);
    EXPECT_LT(std::abs(membrane->number_at(at.x, at.y + off, view).value_or(0)), here);
  }
}

// With damping every point moves at some time, and a struck membrane has no fixed lines.
TEST_P(MembraneMarks, ThereAreNoneWhereNothingRests) {
  EXPECT_TRUE(solved({{"frequency", 9}, {"damping", 1}})->diagnostics({}, true).marks.empty());
  EXPECT_TRUE(solved({{"motion", 1}})->diagnostics({}, true).marks.empty());
}

TEST(MembraneModesOfFrequency, AreAllOfTheSameEigenvalue) {
  const Parameters fixed;
  EXPECT_EQ(modes_of_frequency(fixed, 1).size(), 1u);
  ASSERT_EQ(modes_of_frequency(fixed, 2).size(), 2u);
  EXPECT_EQ(modes_of_frequency(fixed, 2)[0].m + modes_of_frequency(fixed, 2)[0].n, 3);
  EXPECT_EQ(modes_of_frequency(fixed, 3).size(), 2u);
  EXPECT_EQ(modes_of_frequency(fixed, 4).size(), 1u);
}

}  // namespace
}  // namespace perturb::membrane
