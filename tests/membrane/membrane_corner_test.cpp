// Domains with a re-entrant corner or a slit, and patches enriched with the singular function there.
#include <cmath>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/verify/checks.h"
#include "tests/membrane/membrane_cases.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/scalars.h"

namespace perturb::membrane {
namespace {

constexpr DomainShape shapes[] = {DomainShape::l, DomainShape::slit};

std::vector<Cover> corner_covers() { return {Cover(0, 2), Cover(1, 1), Cover(3, 2), mixed_cover(), hp_cover()}; }

class MembraneCorner : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> cornered(std::map<std::string, double> more, std::vector<Action> actions = {}) {
    perturb::Setup setup;
    setup.simulation = "membrane";
    setup.width = setup.height = 32;
    setup.parameters = {{"level", 3},           {"sigma", 0},  {"rim", 3},          {"domain", 1},
                        {"source_strength", 0}, {"degree", 2}, {"tolerance", 1e-12}};
    for (const auto& [id, value] : more) setup.parameters[id] = value;
    setup.actions = std::move(actions);
    return create(backend(), setup);
  }
  CheckErrors errors(DomainShape shape, double enrichment, const Cover& cover) {
    Parameters p;
    p.domain = shape;
    p.enrichment = enrichment;
    p.rim = RimShape::corner;
    p.source_strength = 0;
    p.sigma = 0;
    return check_errors(backend(), cover, p);
  }
};
PERTURB_ON_EACH_BACKEND(MembraneCorner);

TEST(MembraneDomain, SingularFunctionIsHarmonicAndZeroAtItsEdges) {
  for (const DomainShape shape : shapes) {
    const Domain domain{shape, 0};
    const double h = 1e-4, last = shape == DomainShape::l ? 1.5 * M_PI : 2 * M_PI;
    for (const double angle : {0.3, 2.0, 3.5, 4.6}) {
      const double x = 0.5 + 0.2 * std::cos(angle), y = 0.5 + 0.2 * std::sin(angle);
      const auto at = [&](double dx, double dy) { return domain.singular(x + dx, y + dy).value; };
      const Singular s = domain.singular(x, y);
      EXPECT_NEAR(s.x, (at(h, 0) - at(-h, 0)) / (2 * h), 1e-6);
      EXPECT_NEAR(s.y, (at(0, h) - at(0, -h)) / (2 * h), 1e-6);
      EXPECT_NEAR((at(h, 0) + at(-h, 0) + at(0, h) + at(0, -h) - 4 * s.value) / (h * h), 0, 1e-5);
    }
    EXPECT_NEAR(domain.singular(0.8, 0.5).value, 0, 1e-15);
    EXPECT_NEAR(domain.singular(0.5 + 0.2 * std::cos(last - 1e-12), 0.5 + 0.2 * std::sin(last - 1e-12)).value, 0,
                1e-11);
  }
}

TEST(MembraneDomain, CellsFillItAndWeightsSumToOne) {
  const auto cpu = Backend::make_cpu(1);
  for (const DomainShape shape : shapes)
    for (const Cover& cover : corner_covers()) {
      const Structure s(cover, 1.3, {shape, 0.2});
      const Space space(*cpu, s);
      double area = 0;
      for (std::size_t k = 0; k < s.cells.size(); ++k) {
        const Cell c = space.view().cut_cell(static_cast<int>(k));
        area += (c.x1 - c.x0) * (c.y1 - c.y0);
        Weights w;
        w.at(0.3 * c.x0 + 0.7 * c.x1, 0.6 * c.y0 + 0.4 * c.y1, c.over, PatchesOf{s.patches.data(), c.patches});
        double sum = 0;
        for (int i = 0; i < c.over; ++i) sum += w.phi[i];
        EXPECT_NEAR(sum, 1, 1e-14);
      }
      EXPECT_NEAR(area, shape == DomainShape::l ? 0.75 : 1, 1e-13);
      // No patch of one side of the slit reaches a cell of the other, except over its end.
      for (const CutCell& c : s.cells)
        for (int k = c.first; k < c.first + c.over; ++k) {
          const Patch& p = s.patches[static_cast<std::size_t>(s.cell_patches[static_cast<std::size_t>(k)])];
          ASSERT_GE(p.degree, 1);
          if (shape == DomainShape::slit && c.x0 >= 0.5 && p.x > 0.5 && !p.covers(0.5, 0.5)) {
            EXPECT_EQ(c.y0 >= 0.5, p.y > 0.5);
          }
        }
    }
}

TEST_P(MembraneCorner, AFilmInABentFrameIsTheFramesSaddle) {
  const std::vector<Action> split = {{"split", {{"x", 0.45}, {"y", 0.55}}, "", nullptr}};
  for (const double domain : {1.0, 2.0})
    for (const double enrichment : {0.0, 0.25})
      for (const bool refined : {false, true}) {
        const auto film = cornered({{"domain", domain},
                                    {"rim", 1},
                                    {"enrichment", enrichment},
                                    {"boundary_right", 1},
                                    {"integration_level", 10}},
                                   refined ? split : std::vector<Action>{});
        EXPECT_LT(scalar(*film, "error"), 1e-9) << domain << ' ' << enrichment << ' ' << refined;
      }
}

// With s on all patches only the quadrature is left.
TEST_P(MembraneCorner, EnrichmentEverywhereReproducesTheSingularFunction) {
  for (const DomainShape shape : shapes) {
    const CheckErrors e = errors(shape, 0.75, Cover(2, 2));
    EXPECT_LT(e.value, 1e-6);
    EXPECT_LT(e.slope, 1e-5);
  }
}

TEST_P(MembraneCorner, ErrorFallsByTheCornersOrderAndEnrichedByTheDegree) {
  const int finest = reach(5, 4);
  for (const DomainShape shape : shapes)
    for (int degree = 1; degree <= reach(3, 2); ++degree)
      for (const double enrichment : {0.0, 0.25}) {
        const CheckErrors coarse = errors(shape, enrichment, Cover(finest - 1, degree));
        const CheckErrors fine = errors(shape, enrichment, Cover(finest, degree));
        const Domain domain{shape, enrichment};
        const double order = std::log2(coarse.slope / fine.slope);
        if (domain.enriches()) {
          EXPECT_GT(order, 0.75 * degree) << degree << ": the enriched region shrinks with the patches at its edge";
        } else {
          EXPECT_NEAR(order, domain.exponent(), 0.05) << degree;
        }
      }
}

TEST_P(MembraneCorner, EnrichmentChangedLiveLowersTheError) {
  const auto membrane = cornered({});
  membrane->step(1);
  const double before = scalar(*membrane, "error"), unknowns = scalar(*membrane, "unknowns");
  EXPECT_EQ(unknowns, 48 * 6) << "patches outside have none";
  membrane->set_parameter("enrichment", 0.25);
  membrane->step(1);
  EXPECT_LT(scalar(*membrane, "error"), 0.1 * before);
  EXPECT_GT(scalar(*membrane, "unknowns"), unknowns);
  membrane->set_parameter("enrichment", 0);
  membrane->step(1);
  EXPECT_NEAR(scalar(*membrane, "error") / before, 1, 1e-6);
  membrane->set_parameter("domain", 2);
  membrane->step(1);
  EXPECT_EQ(scalar(*membrane, "unknowns"), 64 * 6);
}

TEST_P(MembraneCorner, SavedStateRestoresTheEnrichedSolution) {
  for (const double domain : {1.0, 2.0}) {
    const std::map<std::string, double> parameters = {{"enrichment", 0.2}, {"domain", domain}};
    const std::vector<Action> raise = {{"raise", {{"x", 0.1}, {"y", 0.1}, {"times", 2}}, "", nullptr}};
    const auto membrane = cornered(parameters, raise);
    membrane->step(1);
    const State state = membrane->save();
    const auto other = cornered(parameters);
    other->load(state);
    EXPECT_TRUE(other->save().datasets.at("coefficients").bytes == state.datasets.at("coefficients").bytes);
    ViewSettings view;
    view.quantity = "displacement";
    EXPECT_EQ(other->value_at(0.45, 0.48, view).english(), membrane->value_at(0.45, 0.48, view).english());
  }
}

TEST_P(MembraneCorner, HasNoValueOutside) {
  const auto membrane = cornered({{"show_patches", 1}});
  ViewSettings view;
  view.quantity = "displacement";
  EXPECT_TRUE(membrane->value_at(0.7, 0.3, view).empty());
  EXPECT_FALSE(membrane->value_at(0.3, 0.3, view).empty());
  EXPECT_EQ(saved_numbers(*membrane, "u")[10 * 32 + 20], 0);
  EXPECT_NE(saved_numbers(*membrane, "u")[10 * 32 + 10], 0);
}

// Both sides of the slit are fixed: a load above it is felt below only around its end.
TEST_P(MembraneCorner, ASlitSeparatesItsSides) {
  const auto membrane = cornered(
      {{"domain", 2}, {"rim", 0}, {"source_strength", 10}, {"source_x", 0.8}, {"source_y", 0.7}, {"level", 4}});
  ViewSettings view;
  view.quantity = "amplitude";
  const double above = std::stod(membrane->value_at(0.8, 0.6, view).english());
  const double below = std::stod(membrane->value_at(0.8, 0.4, view).english());
  EXPECT_GT(above, 10 * below);
}

// Of the modes of the square those that vanish on the edges at the tip are modes of the L too.
TEST_P(MembraneCorner, KnowsModesThatVanishAtItsEdges) {
  const auto membrane =
      cornered({{"rim", 0}, {"load", 1}, {"mode_x", 2}, {"mode_y", 2}, {"source_strength", 1}, {"degree", 4}});
  EXPECT_LT(scalar(*membrane, "error"), 1e-4);
  Parameters p;
  p.load = Load::mode;
  p.domain = DomainShape::l;
  EXPECT_FALSE(membrane_known(p).is_known) << "(1, 2)";
}

TEST_P(MembraneCorner, RejectsCoversOfTooManyPatches) { EXPECT_THROW(cornered({{"level", 9}}), InputError); }

}  // namespace
}  // namespace perturb::membrane
