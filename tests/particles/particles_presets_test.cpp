// The scenes as they open: under the rule `exact` no discs overlap, however long they run; the two scenes of the
// paper's rule report the missed collisions.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/particles/parameters.h"
#include "cuda/particles/particles.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/scalars.h"

namespace perturb::particles {
namespace {

class ParticlesPresets : public OnEachBackend {
 protected:
  static bool is_exact(Simulation& run) {
    return run.parameters().get("collisions") == static_cast<double>(Collisions::exact);
  }
  // Of motion: by a piston, walls with a temperature, flames and ice, or gravity.
  static bool changes_energy(Simulation& run) {
    for (const SceneObject& object : run.objects())
      if (object.kind == "flame" || object.kind == "ice") return true;
    for (const char* id : {"piston_speed", "gravity", "temperature_left", "temperature_right", "temperature_floor",
                           "temperature_ceiling"})
      if (run.parameters().get(id) != 0) return true;
    return false;
  }
};
PERTURB_ON_EACH_BACKEND(ParticlesPresets);

// Pairs that overlap, by sorting discs along the box: another way than that of the gauge.
int overlapping_pairs(const State& state, double usual_radius) {
  const std::size_t n = state.datasets.at("position").shape[0];
  const auto xy = state.get<double>("position", {n, 2});
  std::vector<double> radius(n, usual_radius);
  if (state.has("radius")) radius = state.get<double>("radius", {n});
  const double largest = *std::max_element(radius.begin(), radius.end());
  std::vector<std::size_t> order(n);
  for (std::size_t k = 0; k < n; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return xy[2 * a] < xy[2 * b]; });
  int pairs = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      const std::size_t i = order[a], j = order[b];
      const double dx = xy[2 * j] - xy[2 * i];
      if (dx > radius[i] + largest) break;
      if (std::hypot(dx, xy[2 * j + 1] - xy[2 * i + 1]) < (radius[i] + radius[j]) * (1 - 1e-9)) ++pairs;
    }
  return pairs;
}

TEST_P(ParticlesPresets, NoDiscsOverlapAfterManySteps) {
  const std::map<std::string, int> steps = {
      {"ideal", 400},  {"flame", 400},   {"gas", 1200},  {"dense", 800}, {"mixing", 600},     {"brownian", 1200},
      {"break", 1600}, {"piston", 1200}, {"shock", 600}, {"heat", 600},  {"atmosphere", 600}, {"two-kinds", 600}};
  std::set<std::string> met;
  for (const std::string& id : preset_ids("particles")) {
    SCOPED_TRACE(id);
    const auto run = particles_simulation().create(backend(), load_scene("particles/" + id).setup);
    if (!is_exact(*run)) continue;
    ASSERT_TRUE(steps.count(id)) << "a new scene: say how many steps it is to run here";
    met.insert(id);
    const double before = scalar(run->diagnostics({}, true), "energy");
    for (int k = 0; k < 4; ++k) {
      run->step(reach(steps.at(id) / 4, 20));
      EXPECT_EQ(overlapping_pairs(run->save(), run->parameters().get("radius")), 0) << "at step " << run->steps();
      const Diagnostics d = run->diagnostics({}, true);
      EXPECT_EQ(scalar(d, "overlaps"), 0);
      for (const Gauge& gauge : run->gauges()) EXPECT_LE(gauge.value, gauge.limit) << gauge.id;
      if (!changes_energy(*run)) {
        EXPECT_NEAR(scalar(d, "energy"), before, 1e-12 * before);
      }
    }
  }
  for (const char* id : {"gas", "dense", "mixing", "piston", "shock"})
    EXPECT_TRUE(met.count(id)) << id << " is not exact";
}

TEST_P(ParticlesPresets, PaperRuleReportsMissedCollisions) {
  std::set<std::string> met;
  for (const std::string& id : preset_ids("particles")) {
    const auto run = particles_simulation().create(backend(), load_scene("particles/" + id).setup);
    if (is_exact(*run)) continue;
    met.insert(id);
    run->diagnostics({}, true);
    run->step(200);
    const Diagnostics d = run->diagnostics({}, true);
    EXPECT_EQ(scalar(d, "overlaps"), overlapping_pairs(run->save(), run->parameters().get("radius"))) << id;
    const std::vector<Gauge> gauges = run->gauges();
    const auto missed = std::find_if(gauges.begin(), gauges.end(), [](const Gauge& g) { return g.id == "missed"; });
    ASSERT_NE(missed, gauges.end()) << id;
    EXPECT_GT(missed->value, missed->limit) << id << " is not red";
  }
  EXPECT_EQ(met, (std::set<std::string>{"missed", "report"}));
}

}  // namespace
}  // namespace perturb::particles
