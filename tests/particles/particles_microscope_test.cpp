// The microscope of the discs: its numbers are those of the saved state.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/support/backends.h"
#include "tests/support/inspected.h"

namespace perturb::particles {
namespace {

class ParticlesMicroscope : public OnEachBackend {
 protected:
  static Scene gas(int count, double collisions) {
    Scene scene = load_scene("particles/gas");
    scene.setup.actions.clear();
    scene.setup.parameters["count"] = count;
    scene.setup.parameters["collisions"] = collisions;
    scene.setup.parameters["precision"] = 1;
    return scene;
  }
};
PERTURB_ON_EACH_BACKEND(ParticlesMicroscope);

TEST_P(ParticlesMicroscope, NumbersAreThoseOfTheSavedStateAndSolveTheQuadratic) {
  for (const double rule : {0., 1.}) {
    Experiment run(backend(), gas(200, rule));
    run.advance(3);
    Simulation& discs = run.simulation();
    const State state = discs.save();
    const double slow = discs.parameters().get("slow_factor"), reach = 2 * discs.parameters().get("radius");
    const auto x = state.get<double>("position", {200, 2}), v = state.get<double>("velocity", {200, 2});
    int touching = 0;
    for (std::size_t p = 0; p < 200; p += 7) {
      const Inspection seen = inspect(discs, x[2 * p] / discs.domain_width(), x[2 * p + 1] / discs.domain_height());
      EXPECT_EQ(inspected(seen, "Position"), (std::vector<double>{x[2 * p], x[2 * p + 1]}));
      const std::vector<double> velocity = inspected(seen, "Velocity"), d = inspected(seen, "Relative position d"),
                                w = inspected(seen, "Relative velocity w");
      EXPECT_NEAR(velocity[0], v[2 * p] / slow, 1e-12);
      EXPECT_NEAR(velocity[1], v[2 * p + 1] / slow, 1e-12);
      // The first contact of all, on straight paths.
      double first = INFINITY;
      std::size_t partner = 0;
      for (std::size_t q = 0; q < 200; ++q) {
        if (q == p) continue;
        const double dx = x[2 * q] - x[2 * p], dy = x[2 * q + 1] - x[2 * p + 1];
        const double wx = (v[2 * q] - v[2 * p]) / slow, wy = (v[2 * q + 1] - v[2 * p + 1]) / slow;
        const double a = wx * wx + wy * wy, b = 2 * (dx * wx + dy * wy), c = dx * dx + dy * dy - reach * reach;
        if (!(b < 0) || c < 0 || b * b < 4 * a * c) continue;
        const double t = (-b - std::sqrt(b * b - 4 * a * c)) / (2 * a);
        if (t < first) {
          first = t;
          partner = q;
        }
      }
      if (first == INFINITY) continue;
      ++touching;
      EXPECT_NEAR(d[0], x[2 * partner] - x[2 * p], 1e-9);
      EXPECT_NEAR(w[1], (v[2 * partner + 1] - v[2 * p + 1]) / slow, 1e-12);
      const std::vector<double> roots = inspected(seen, "Roots t of a t\u00b2 + b t + c = 0");
      EXPECT_NEAR(roots[0], first, 1e-6 * first);
      const double a = inspected(seen, "a = w\u00b7w")[0], b = inspected(seen, "b = 2 d\u00b7w")[0],
                   c = inspected(seen, "c = d\u00b7d \u2212 (sum of radii)\u00b2")[0];
      EXPECT_NEAR(inspected(seen, "Discriminant b\u00b2 \u2212 4ac")[0], b * b - 4 * a * c, 1e-9 * b * b);
      EXPECT_NEAR(roots[0] + roots[1], -b / a, 1e-9 * std::abs(b / a));
      EXPECT_NEAR(roots[0] * roots[1], c / a, 1e-6 * c / a);
      const double contact = inspected(seen, "Contact in this step")[0];
      EXPECT_EQ(has_value(contact), first <= 1);
      if (has_value(contact)) {
        EXPECT_NEAR(contact, first, 1e-9);
      }
    }
    EXPECT_GT(touching, 5);
  }
}

TEST_P(ParticlesMicroscope, SingleDiscHasNoPair) {
  Experiment run(backend(), gas(1, 0));
  const Inspection seen = inspect(run.simulation(), 0.5, 0.5);
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(seen.remark, Message("There is no other disc."));
}

}  // namespace
}  // namespace perturb::particles
