// The changes that hints and things to try ask for are accepted while the scene runs, and the run continues.
#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

struct HintSteps {
  const char* scene;
  // Parameters with their values as in presets, one group after the other.
  std::vector<std::vector<std::pair<const char*, const char*>>> changes;
  std::vector<Action> actions = {};
};

Action change_of(const char* kind, int object, const char* number, double value) {
  return {kind, {{"object", object}, {number, value}}, "", nullptr};
}

std::vector<HintSteps> hint_steps() {
  return {
      {"wave/droplet", {{{"boundary_left", "free"}}, {{"damping", "0.05"}}, {{"wave_speed", "0.5"}}}},
      {"wave/double-slit",
       {},
       {change_of("change-slits", 2, "distance", 32), change_of("change-slits", 2, "number", 3),
        change_of("change-line-source", 1, "frequency", 0.075)}},
      {"wave/single-slit",
       {},
       {change_of("change-slits", 2, "width", 20), change_of("change-slits", 2, "width", 200),
        change_of("change-line-source", 1, "frequency", 0.025)}},
      {"wave/refraction",
       {},
       {change_of("change-region", 2, "factor", 0.5), change_of("change-region", 2, "factor", 1.2)}},
      {"wave/lens", {}, {change_of("change-lens", 2, "radius_x", 0.1)}},
      {"wave/doppler", {{{"wave_speed", "0.333"}}}},
      {"wave/modes", {{{"wave_speed", "0.5"}}}},
      {"wave/string", {{{"wave_speed", "0.5"}}, {{"boundary_right", "fixed"}}}},
      {"wave/rain", {{{"rain_rate", "0"}}, {{"damping", "0.02"}}, {{"droplet_radius", "8"}}}},
      {"lbm/cylinder", {{{"reynolds", "30"}}, {{"reynolds", "150"}}}},
      {"lbm/cavity",
       {{{"reynolds", "100"}}, {{"reynolds", "400"}}, {{"viscosity", "0.01024"}}, {{"viscosity", "0.256"}}}},
      {"lbm/channel",
       {{{"viscosity", "0.2"}}, {{"boundary_bottom", "moving"}, {"wall_speed", "0.15"}, {"force_x", "0"}}}},
      {"lbm/porous", {{{"force_x", "4e-5"}}}},
      {"lbm/step", {{{"reynolds", "100"}}, {{"reynolds", "200"}}, {{"viscosity", "0.006"}}}},
      {"lbm/couette", {}, {change_of("change-wall-disc", 3, "surface_speed", -0.05)}},
      {"lbm/airfoil", {{{"inlet_speed", "0.12"}}}},
      {"lbm/shear-layer", {{{"viscosity", "0.01"}}}},
      {"lbm/taylor-green", {{{"viscosity", "0.01"}}}},
      {"particles/gas", {{{"count", "1000"}}}},
      {"particles/missed", {{{"slow_factor", "4"}}, {{"collisions", "exact"}}}},
      {"particles/report", {{{"slow_factor", "4"}}, {{"collisions", "exact"}}}},
      {"particles/mixing", {{{"cold", "1"}}}},
      {"particles/brownian", {{{"heavy_mass", "200"}}, {{"count", "500"}}}},
      {"particles/piston", {{{"piston_speed", "0.02"}}, {{"piston_end", "0.45"}}, {{"piston_speed", "0.5"}}}},
      {"particles/shock", {{{"piston_speed", "0.6"}}}},
      {"particles/heat",
       {{{"temperature_right", "2"}},
        {{"temperature_left", "0"}, {"temperature_right", "0"}},
        {{"temperature_left", "0.1"}, {"temperature_right", "0.1"}}}},
      {"particles/atmosphere",
       {{{"temperature_floor", "3"}}, {{"gravity", "0.1"}}, {{"restitution", "0.9"}, {"temperature_floor", "0"}}}},
      {"particles/two-kinds", {{{"second_mass", "50"}}}},
      {"fibers/cloud", {{{"radius", "10"}}}},
      {"fibers/lone", {{{"alone", "false"}}}},
      {"fibers/pair", {{{"gap", "3"}}}},
      {"fibers/periodic", {{{"box", "20"}}}},
      {"fibers/thousand", {{{"time_step", "0.5"}}}},
      {"fibers/paper", {{{"time_step", "0.1"}}, {{"contact", "true"}}}},
      {"fibers/lengths", {{{"length_spread", "0.4"}, {"lengths", "uniform"}}, {{"length_spread", "0"}}}},
      {"membrane/load", {{{"source_width", "0.03"}}, {{"boundary_left", "free"}}}},
      {"membrane/known", {{{"degree", "3"}}, {{"level", "4"}}}},
      {"membrane/struck", {{{"damping", "2"}}, {{"damping", "0"}}, {{"source_width", "0.05"}}}},
      {"membrane/damped", {{{"damping", "0.6"}}, {{"damping", "0.01"}, {"sweep", "0"}}}},
      {"membrane/frame",
       {{{"corner_top_left", "1"}, {"corner_bottom_left", "-1"}},
        {{"source_strength", "0"}},
        {{"boundary_right", "free"}}}},
      {"membrane/modes", {{{"boundary_left", "free"}}, {{"mode_number", "6"}}}},
      {"membrane/chladni",
       {{{"boundary_left", "fixed"},
         {"boundary_right", "fixed"},
         {"boundary_bottom", "fixed"},
         {"boundary_top", "fixed"}}}},
      {"membrane/assembly", {{{"degree", "3"}}}},
      {"membrane/corner", {{{"level", "4"}}, {{"degree", "4"}}, {{"enrichment", "0.25"}}, {{"enrichment", "0.75"}}}},
      {"membrane/slit", {{{"enrichment", "0"}}, {{"domain", "l"}}}},
  };
}

void expect_continues(Experiment& run) {
  run.advance(3);
  run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true));
  EXPECT_TRUE(run.stop_reason().empty()) << run.stop_reason().english();
}

TEST(HintSteps, AreAccepted) {
  SKIP_AT_SMALL_REACH("every scene; each kind of change is covered elsewhere");
  const auto backend = Backend::make_cpu(1);
  for (const HintSteps& steps : hint_steps()) {
    SCOPED_TRACE(steps.scene);
    Scene scene = load_scene(steps.scene);
    // A few fibers are enough: a change is not checked for each of them.
    if (scene.setup.simulation == "fibers") scene.setup.width = std::min(scene.setup.width, 40);
    Experiment run(*backend, scene);
    expect_continues(run);
    for (const auto& group : steps.changes)
      for (const auto& [id, text] : group) {
        SCOPED_TRACE(id);
        const Parameter* parameter = find_parameter(run.simulation().info().parameters, id);
        ASSERT_TRUE(parameter);
        EXPECT_NO_THROW(run.set_parameter(id, parameter->parse(text)));
        expect_continues(run);
      }
    for (const Action& action : steps.actions) {
      SCOPED_TRACE(action.kind);
      EXPECT_NO_THROW(run.perform(action));
      expect_continues(run);
    }
  }
}

}  // namespace
}  // namespace perturb
