// Nothing that a visitor does ends a run: strokes and sliders at random, in every preset on a small domain. The long
// run is tests/harden/random_user.py.
#include "tests/support/random_user.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

constexpr int actions_of_a_visit = 12, steps_of_an_action = 12;
// A visit that has taken this much time of the processor ends: a user may add fibers until a step takes seconds. What
// came before is the same on every machine.
constexpr double seconds_of_a_visit = 1;
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Few cells, fibers or patches, so that steps are cheap.
Scene visited_scene(const std::string& path) {
  Scene scene = load_scene(path);
  Setup& setup = scene.setup;
  const bool is_a_list = setup.height == 1;
  setup.width = std::min(setup.width, is_a_list ? 12 : 64);
  setup.height = std::min(setup.height, 64);
  if (const auto level = setup.parameters.find("level"); level != setup.parameters.end())
    level->second = std::min(level->second, 2.0);
  constexpr double max_discs = 500;
  const auto count = setup.parameters.find("count"), box = setup.parameters.find("box");
  if (count != setup.parameters.end() && box != setup.parameters.end() && count->second > max_discs) {
    box->second *= std::sqrt(max_discs / count->second);
    count->second = max_discs;
  }
  return scene;
}

class RandomUserTest : public OnEachBackend {};
PERTURB_ON_EACH_BACKEND(RandomUserTest);

TEST_P(RandomUserTest, EndsNoRun) {
  SKIP_UNDER_SANITIZERS("the same steps and actions as in the other contract tests");
  for (const SimulationInfo* info : catalog()) {
    int seed = 0;  // of each preset its own: the same one does the same in all presets of a simulation
    for (const std::string& preset : preset_ids(info->id)) {
      ++seed;
      SCOPED_TRACE(info->id + "/" + preset + ", seed " + std::to_string(seed));
      Experiment run(backend(), visited_scene(info->id + "/" + preset));
      run.set_recording(false);
      const double end = processor_seconds() + seconds_of_a_visit;
      const auto has_time = [end] { return processor_seconds() < end; };
      RandomUser user(run, static_cast<std::uint64_t>(seed), has_time);
      user.advance(steps_of_an_action);
      user.close_off(seed % 2 == 1);
      for (int k = 0; k < actions_of_a_visit && user.failure().empty() && has_time(); ++k) user.act(steps_of_an_action);
      EXPECT_EQ(user.failure(), "");
      if (has_small_reach()) break;
    }
  }
}

}  // namespace
}  // namespace perturb
