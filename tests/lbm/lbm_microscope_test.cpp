// The microscope of the flow: its numbers are those of the saved state, before and after a step.
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/support/backends.h"
#include "tests/support/inspected.h"

namespace perturb::lbm {
namespace {

constexpr int inspected_width = 40, inspected_height = 24;
constexpr std::size_t inspected_links = 9;
constexpr std::size_t places[] = {6, 2, 5, 3, 0, 1, 7, 4, 8};  // links, as the microscope shows them

class LbmMicroscope : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(LbmMicroscope);

TEST_P(LbmMicroscope, NumbersAreThoseOfTheSavedStateAndTheNextStep) {
  for (const char* preset : {"cylinder", "cavity", "channel", "taylor-green"}) {
    Scene scene = load_scene(std::string("lbm/") + preset);
    SCOPED_TRACE(preset);
    scene.setup.width = inspected_width;
    scene.setup.height = inspected_height;
    scene.setup.parameters["outlines"] = 0;
    scene.setup.parameters["reynolds"] = 0;
    Experiment run(backend(), scene);
    run.advance(7);
    Simulation& flow = run.simulation();
    const std::vector<std::size_t> shape{inspected_height, inspected_width},
        populations{inspected_links, inspected_height, inspected_width};
    const State before = flow.save();
    std::vector<Inspection> seen;
    for (int j = 0; j < inspected_height; ++j)
      for (int i = 0; i < inspected_width; ++i)
        seen.push_back(inspect(flow, (i + 0.5) / inspected_width, (j + 0.5) / inspected_height));
    run.advance(1);
    const State after = flow.save();
    const auto now = before.get<float>("populations_shifted", populations),
               next = after.get<float>("populations_shifted", populations),
               density = before.get<float>("density", shape);
    const auto velocity = before.get<float>("velocity", {inspected_height, inspected_width, 2});
    for (std::size_t cell = 0; cell < seen.size(); ++cell) {
      if (seen[cell].title.english().find(": wall") != std::string::npos) continue;
      const std::vector<double> stored = inspected(seen[cell], "After the last collision"),
                                collided = inspected(seen[cell], "3. Collided"),
                                bounced = inspected(seen[cell], "2. Bounced back at walls"),
                                streamed = inspected(seen[cell], "1. Streamed in");
      for (std::size_t k = 0; k < inspected_links; ++k) {
        const std::size_t at = places[k] * seen.size() + cell;
        ASSERT_EQ(stored[k], static_cast<double>(now[at])) << seen[cell].title << " link " << places[k];
        ASSERT_EQ(collided[k], static_cast<double>(next[at])) << seen[cell].title << " link " << places[k];
        if (has_value(streamed[k])) {
          EXPECT_EQ(streamed[k], bounced[k]);
        }
      }
      EXPECT_NEAR(inspected(seen[cell], "Density")[0], static_cast<double>(density[cell]), 1e-6);
      EXPECT_EQ(inspected(seen[cell], "Velocity, x")[0], static_cast<double>(velocity[2 * cell]));
      EXPECT_EQ(inspected(seen[cell], "Velocity, y")[0], static_cast<double>(velocity[2 * cell + 1]));
    }
  }
}

TEST_P(LbmMicroscope, RelaxationRatesAreThoseOfTheViscosity) {
  Scene scene = load_scene("lbm/cavity");
  scene.setup.width = scene.setup.height = 16;
  scene.setup.parameters["collision"] = 0;
  scene.setup.parameters["reynolds"] = 0;
  scene.setup.parameters["viscosity"] = 0.05;
  Experiment run(backend(), scene);
  const Inspection cell = inspect(run.simulation(), 0.5, 0.5);
  const double rate = 1 / (3 * 0.05 + 0.5);
  EXPECT_NEAR(inspected(cell, "Relaxation rate, even moments")[0], rate, 1e-6);
  EXPECT_NEAR(inspected(cell, "Relaxation rate, odd moments")[0], rate, 1e-6);
}

}  // namespace
}  // namespace perturb::lbm
