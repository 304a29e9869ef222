// The microscope of every simulation: where it shows something, that it changes nothing, and that it copies little.
#include "cuda/core/simulation/inspection.h"

#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

class Inspections : public OnEachBackend {
 protected:
  static Scene first_scene(const SimulationInfo& info) {
    Scene scene = load_scene(info.id + "/" + preset_ids(info.id).front());
    const int most = has_small_reach() ? 32 : 64;
    scene.setup.width = std::min(scene.setup.width, most);
    scene.setup.height = std::min(scene.setup.height, most);
    return scene;
  }
};
PERTURB_ON_EACH_BACKEND(Inspections);

TEST_P(Inspections, ShowNumbersInsideTheDomainOnly) {
  for (const SimulationInfo* info : catalog()) {
    SCOPED_TRACE(info->id);
    Experiment run(backend(), first_scene(*info));
    run.advance(2);
    Simulation& simulation = run.simulation();
    auto* const inspectable = simulation.find<Inspectable>();
    if (!inspectable) continue;
    for (const auto& [x, y] : {std::pair(-0.01, 0.5), {1.0, 0.5}, {0.5, -0.01}, {0.5, 1.0}, {NAN, 0.5}})
      EXPECT_TRUE(inspectable->inspect(x, y).empty()) << x << ", " << y;
    const Inspection inspection = inspectable->inspect(0.51, 0.51);
    ASSERT_FALSE(inspection.empty());
    EXPECT_FALSE(inspection.numbers.empty());
    EXPECT_FALSE(inspection.glyphs.empty());
    EXPECT_GT(inspection.extent.x, 0);
    EXPECT_GT(inspection.extent.y, 0);
    for (const Glyph& glyph : inspection.glyphs) {
      EXPECT_TRUE(std::isfinite(glyph.at.x) && std::isfinite(glyph.at.y));
      EXPECT_TRUE(std::isfinite(glyph.to.x) && std::isfinite(glyph.to.y));
    }
  }
}

TEST_P(Inspections, ChangeNothingAndAllocateLittle) {
  for (const SimulationInfo* info : catalog()) {
    SCOPED_TRACE(info->id);
    Experiment run(backend(), first_scene(*info));
    run.advance(3);
    auto* const inspectable = run.simulation().find<Inspectable>();
    if (!inspectable) continue;
    const State before = run.simulation().save();
    const std::size_t memory = backend().memory_in_use();
    for (int k = 0; k < 20; ++k) inspectable->inspect(0.05 * k, 0.31 + 0.03 * k);
    // The partial results of a reduction on CUDA, which do not depend on the size of the scene.
    EXPECT_LE(backend().memory_in_use(), memory + (std::size_t{64} << 10));
    const State after = run.simulation().save();
    for (const auto& [name, data] : before.datasets) EXPECT_TRUE(data.bytes == after.datasets.at(name).bytes) << name;
  }
}

}  // namespace
}  // namespace perturb
