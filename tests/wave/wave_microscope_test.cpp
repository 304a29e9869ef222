// The microscope of the tank: its numbers are those of the saved state, before and after a step.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "tests/support/backends.h"
#include "tests/support/inspected.h"

namespace perturb::wave {
namespace {

constexpr int width = 24, height = 20;

class WaveMicroscope : public OnEachBackend {
 protected:
  // A tank with a wall, a slower part, absorbing and periodic sides, and waves in all of it.
  static Scene tank(double stencil, double damping) {
    Scene scene = load_scene("wave/droplet");
    scene.setup.width = width;
    scene.setup.height = height;
    scene.setup.parameters = {{"time_step", 0.4},    {"damping", damping},   {"stencil", stencil}, {"boundary_left", 3},
                              {"boundary_right", 3}, {"boundary_bottom", 2}, {"boundary_top", 1},  {"cell_size", 0.9},
                              {"sponge_width", 0},   {"wave_speed", 1.1}};
    scene.setup.actions.clear();
    const auto add = [&](const char* kind, std::map<std::string, double> numbers) {
      scene.setup.actions.push_back({kind, std::move(numbers), "", nullptr});
    };
    add("speed-disc", {{"x", 0.7}, {"y", 0.5}, {"radius", 4}, {"factor", 0.6}});
    add("wall-rectangle", {{"x0", 0.3}, {"y0", 0.2}, {"x1", 0.36}, {"y1", 0.6}});
    add("droplet", {{"x", 0.5}, {"y", 0.4}, {"radius", 3}, {"amplitude", 0.7}});
    return scene;
  }
};
PERTURB_ON_EACH_BACKEND(WaveMicroscope);

TEST_P(WaveMicroscope, NumbersAreThoseOfTheSavedStateAndTheNextStep) {
  for (const double stencil : {0., 1.})
    for (const double damping : {0., 0.05}) {
      Experiment run(backend(), tank(stencil, damping));
      run.advance(9);
      Simulation& wave = run.simulation();
      const State before = wave.save();
      const std::vector<std::size_t> shape{height, width};
      const auto u = before.get<float>("u", shape), previous = before.get<float>("u_previous", shape);
      std::vector<Inspection> seen;
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) seen.push_back(inspect(wave, (i + 0.5) / width, (j + 0.5) / height));
      run.advance(1);
      const auto next = wave.save().get<float>("u", shape);
      int walls = 0, sides = 0;
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
          const auto at = static_cast<std::size_t>(j * width + i);
          const Inspection& cell = seen[at];
          const std::vector<double> heights = inspected(cell, "Height now");
          ASSERT_EQ(heights.size(), 9u);
          EXPECT_EQ(heights[4], static_cast<double>(u[at]));
          if (i > 0) {
            EXPECT_EQ(heights[3], static_cast<double>(u[at - 1]));
          }
          if (j > 0) {
            EXPECT_EQ(heights[7], static_cast<double>(u[at - width]));
          }
          EXPECT_EQ(inspected(cell, "Height one step ago")[0], static_cast<double>(previous[at]));
          const double after = inspected(cell, "Height after the step")[0];
          EXPECT_EQ(after, static_cast<double>(next[at])) << i << ", " << j;
          if (cell.title.english().find("wall") != std::string::npos) {
            ++walls;
            continue;
          }
          if (cell.title.english().find("absorbing") != std::string::npos) ++sides;
          // The factors give the same, up to rounding.
          const std::vector<double> factors = inspected(cell, "Factor of each height");
          double sum = inspected(cell, "Factor of one step ago")[0] * static_cast<double>(previous[at]);
          for (std::size_t k = 0; k < 9; ++k) sum += factors[k] * heights[k];
          EXPECT_NEAR(sum, after, 2e-6) << i << ", " << j;
        }
      EXPECT_GT(walls, 3);
      EXPECT_EQ(sides, width);
    }
}

TEST_P(WaveMicroscope, NamesSourcesAndTheWaveSpeed) {
  Scene scene = tank(0, 0);
  scene.setup.actions.push_back(
      {"oscillator", {{"x", 0.52}, {"y", 0.82}, {"frequency", 0.05}, {"amplitude", 1}, {"radius", 1}}, "", nullptr});
  Experiment run(backend(), scene);
  run.advance(5);
  const Inspection source = inspect(run.simulation(), 0.52, 0.82);
  EXPECT_NE(source.title.english().find("source"), std::string::npos) << source.title;
  EXPECT_NEAR(inspected(inspect(run.simulation(), 0.7, 0.5), "Wave speed")[0], 1.1 * 0.6, 1e-6);
}

}  // namespace
}  // namespace perturb::wave
