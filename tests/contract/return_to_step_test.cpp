// A run that goes back to an earlier step and continues is the one that never went back, bit for bit, in every
// simulation: with actions before and after that step, on several threads, also after it is saved and loaded.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/contract/small_scene.h"

namespace perturb {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(const Experiment& run) { return portable_bytes_of(run.simulation().save()); }

constexpr std::int64_t acted_at = 4, back_to = 12, end = 24, continued_to = 20;

// One of each simulation of this program, also of one that was added.
std::vector<std::string> chosen_scenes() {
  const std::vector<std::string> chosen = {"wave/double-slit", "lbm/cylinder", "particles/piston", "fibers/lone",
                                           "membrane/chladni"};
  std::vector<std::string> all;
  for (const SimulationInfo* info : catalog()) {
    const auto own = std::find_if(chosen.begin(), chosen.end(),
                                  [&](const std::string& path) { return path.starts_with(info->id + "/"); });
    all.push_back(own != chosen.end() ? *own : info->id + "/" + preset_ids(info->id).front());
  }
  return all;
}

class ReturnToStep : public testing::TestWithParam<std::string> {
 protected:
  Scene scene() const {
    const std::size_t slash = GetParam().find('/');
    Scene small = small_scene(GetParam().substr(0, slash), GetParam().substr(slash + 1), 24, 60);
    if (const auto level = small.setup.parameters.find("level"); level != small.setup.parameters.end())
      level->second = 1;
    return small;
  }
  // A stroke of this tool, which may have no effect at this place, and a live parameter a little lower.
  static void act(Experiment& run, std::size_t tool) {
    Gesture g;
    g.tool = run.info().tools[tool % run.info().tools.size()].id;
    for (const ValueInfo& setting : run.info().tools[tool % run.info().tools.size()].brush)
      g.brush[setting.id] = setting.initial;
    g.x = g.previous_x = g.start_x = 0.4;
    g.y = g.previous_y = g.start_y = 0.6;
    try {
      run.perform(g);
    } catch (const InputError&) {
    }
    for (const Parameter& p : run.info().parameters)
      if (p.apply == Apply::live && p.kind == ValueKind::real) {
        const double now = run.simulation().parameters().get(p);
        try {
          run.set_parameter(p.id, std::max(p.minimum, 0.9 * now));
          return;
        } catch (const InputError&) {
        }
      }
  }

  std::unique_ptr<Backend> one_ = Backend::make_cpu(1), several_ = Backend::make_cpu(3);
};
INSTANTIATE_TEST_SUITE_P(All, ReturnToStep, testing::ValuesIn(chosen_scenes()),
                         [](const auto& one) { return one.param.substr(0, one.param.find('/')); });

TEST_P(ReturnToStep, ContinuesAsIfItHadNeverGoneBack) {
  // Never goes back.
  Experiment straight(*one_, scene());
  straight.advance(acted_at);
  act(straight, 0);
  straight.advance(back_to - acted_at);
  const Bytes then = bytes(straight);
  act(straight, 1);
  straight.advance(continued_to - back_to);

  Experiment run(*several_, scene());
  StateRestorer::TimePoint now;
  run.set_snapshot_clock([&] { return now; });
  run.advance(acted_at);
  act(run, 0);
  run.advance(3);
  now += std::chrono::minutes(1);
  run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true));  // a snapshot on the way
  run.advance(9);
  act(run, 2);
  run.advance(end - acted_at - 12);
  const Bytes last = bytes(run);
  const std::size_t events = run.log().size();
  EXPECT_EQ(run.past(), (std::pair<std::int64_t, std::int64_t>{0, end}));

  // Back and forth: each step is the same again.
  run.return_to_step(1);
  EXPECT_EQ(run.simulation().steps(), 1);
  EXPECT_TRUE(run.log().empty());
  run.return_to_step(end);
  EXPECT_TRUE(bytes(run) == last);
  EXPECT_EQ(run.log().size(), events);
  run.return_to_step(back_to);
  EXPECT_EQ(run.simulation().steps(), back_to);
  EXPECT_TRUE(bytes(run) == then);
  EXPECT_EQ(run.past().second, end);

  // Saved there, loaded and continued.
  const State state = read_portable_state(bytes(run));
  Experiment loaded(*one_, scene_of(state), state);
  for (Experiment* each : {&run, &loaded}) {
    act(*each, 1);
    each->advance(continued_to - back_to);
    EXPECT_TRUE(bytes(*each) == bytes(straight));
  }
  EXPECT_EQ(run.past().second, continued_to);

  // What it dropped can be undone: the new action, the return.
  Message undone;
  while (run.simulation().steps() != end && !(undone = run.undo()).empty()) {
  }
  EXPECT_EQ(undone.english(), "Undone: Return to an earlier step. Now at step 24.");
  EXPECT_TRUE(bytes(run) == last);
  EXPECT_EQ(run.log().size(), events);
  // And redone.
  while (!run.redo().empty()) {
  }
  EXPECT_TRUE(bytes(run) == bytes(straight));
}

TEST_P(ReturnToStep, AfterAnotherReturnEachUndoLeadsToItsOwnCourse) {
  Experiment run(*one_, scene());
  run.advance(acted_at);
  act(run, 0);
  run.advance(10);
  const Bytes first = bytes(run);
  run.return_to_step(8);
  act(run, 1);
  run.advance(5);
  const Bytes second = bytes(run);
  run.return_to_step(2);
  run.advance(6);
  EXPECT_EQ(run.simulation().steps(), 8);
  run.undo();
  EXPECT_TRUE(bytes(run) == second);
  while (run.simulation().steps() != 14 && !run.undo().empty()) {
  }
  EXPECT_TRUE(bytes(run) == first);
}

}  // namespace
}  // namespace perturb
