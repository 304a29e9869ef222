// Undo and redo of user actions, their script, and the limits of the log.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class ExperimentUndo : public SmallRun {};
PERTURB_ON_EACH_BACKEND(ExperimentUndo);

// Performs all user actions in turn, with steps between; records the states before each undo step, and the last one.
class TestUser {
 public:
  explicit TestUser(Experiment& run) : run_(run) { run_.advance(3); }

  void stroke(std::size_t number) {
    const std::vector<Tool>& tools = run_.info().tools;
    const Tool& tool = tools[number % tools.size()];
    Gesture g;
    g.tool = tool.id;
    g.button = number % 2 ? Gesture::Button::right : Gesture::Button::left;
    for (const ValueInfo& setting : tool.brush) g.brush[setting.id] = setting.initial;
    const double x = 0.3 + 0.04 * static_cast<double>(number % 9);
    g.x = g.previous_x = g.start_x = x;
    g.y = g.previous_y = g.start_y = 0.45;
    act([&] {
      try {
        run_.perform(g);
        g.x = x + 0.05;
        g.phase = Gesture::Phase::move;
        run_.perform(g);
        run_.advance(1);  // a stroke takes some steps
        g.previous_x = g.x;
        g.x = x + 0.08;
        run_.perform(g);
        g.previous_x = g.x;
        g.phase = Gesture::Phase::release;
        run_.perform(g);
      } catch (const InputError&) {
        // There is nothing under the pointer that this tool could grab, and nothing is done.
      }
    });
  }
  void change(Apply apply) {
    const ParameterSet parameters = run_.simulation().parameters();
    for (const Parameter& p : parameters.table()) {
      const double value = parameters.get(p), other = value * 0.98;
      if (p.apply != apply || p.kind != ValueKind::real || !(value > 0) || other < p.minimum) continue;
      act([&] { run_.set_parameter(p.id, other); });
      return;
    }
  }
  void kernel(const std::string& id) {
    act([&] { run_.choose_kernel(id); });
  }
  void restart() {
    act([&] { run_.restart(); });
  }

  std::vector<State> before;

 private:
  template <class F>
  void act(const F& f) {
    State state = run_.simulation().save();
    const std::size_t events = run_.log().size();
    const std::size_t parameter_count = run_.start().scene.setup.parameters.size();
    f();
    if (run_.log().size() != events || run_.simulation().steps() < state.steps ||
        run_.start().scene.setup.parameters.size() != parameter_count)
      before.push_back(std::move(state));
    run_.advance(3);
  }
  Experiment& run_;
};

void expect_same(const State& a, const State& b, const std::string& what) {
  EXPECT_EQ(a.steps, b.steps) << what;
  EXPECT_EQ(a.time, b.time) << what;
  EXPECT_EQ(a.parameters, b.parameters) << what;
  ASSERT_EQ(a.datasets.size(), b.datasets.size()) << what;
  for (const auto& [name, data] : a.datasets) {
    ASSERT_TRUE(b.has(name)) << what << ", " << name;
    EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << what << ", " << name;
  }
}

void do_many_things(TestUser& user, const SimulationInfo& info, bool cuda) {
  for (std::size_t k = 0; k < 6; ++k) user.stroke(k);
  user.change(Apply::live);
  for (const KernelVariant& kernel : info.kernels)
    if (cuda ? kernel.on_cuda : kernel.on_cpu) {
      user.kernel(kernel.id);
      break;
    }
  user.stroke(6);
  user.restart();
  user.stroke(7);
  user.change(Apply::restart);
  user.stroke(1);
  user.change(Apply::live);
  user.stroke(2);
}

TEST_P(ExperimentUndo, UndoesAndRedoesEveryChangeBitForBit) {
  SKIP_UNDER_SANITIZERS("goes through all controls; tests of single ones remain");
  for (const SimulationInfo* info : catalog()) {
    if (has_small_reach() && info->id != "wave" && info->id != "particles") continue;
    Experiment run(backend(), small_scene(info->id));
    TestUser user(run);
    do_many_things(user, *info, backend().is_cuda());
    const State end = run.simulation().save();
    const std::string kernel = run.kernel();
    ASSERT_GE(user.before.size(), 10u) << info->id;
    for (std::size_t k = user.before.size(); k-- > 0;) {
      ASSERT_FALSE(run.next_undo().empty()) << info->id << " " << k;
      const std::string what = info->id + ", undo " + std::to_string(k) + ": " + run.next_undo().english();
      EXPECT_FALSE(run.undo().empty());
      expect_same(user.before[k], run.simulation().save(), what);
    }
    EXPECT_EQ(run.next_undo(), "") << info->id;
    EXPECT_EQ(run.undo(), "") << info->id;
    run.advance(2);  // not a user action: redo stays available
    for (std::size_t k = 0; k < user.before.size(); ++k) {
      const std::string what = info->id + ", redo " + std::to_string(k) + ": " + run.next_redo().english();
      EXPECT_FALSE(run.redo().empty());
      expect_same(k + 1 < user.before.size() ? user.before[k + 1] : end, run.simulation().save(), what);
    }
    EXPECT_EQ(run.redo(), "") << info->id;
    EXPECT_EQ(run.kernel(), kernel);
    EXPECT_EQ(run.simulation().selected_kernel(), kernel);
  }
}

TEST_P(ExperimentUndo, ScriptReproducesRunBitForBit) {
  SKIP_UNDER_SANITIZERS("goes through all controls; tests of single ones remain");
  for (const SimulationInfo* info : catalog()) {
    if (has_small_reach() && info->id != "wave" && info->id != "particles") continue;
    Experiment run(backend(), small_scene(info->id));
    TestUser user(run);
    do_many_things(user, *info, backend().is_cuda());
    for (int k = 0; k < 2; ++k) run.undo();
    run.redo();
    user.stroke(3);
    const std::string script = script_of(run);
    Start start;
    start.scene = run.start().scene;
    start.kernel = run.start().kernel;
    Experiment again(backend(), start);
    again.schedule(parse_script(script, "run.toml", info->id));
    again.advance(run.simulation().steps());
    expect_same(run.simulation().save(), again.simulation().save(), info->id);
    EXPECT_EQ(script_of(again), script);
  }
}

TEST_P(ExperimentUndo, UndoesAndRedoesSixtySteps) {
  Experiment run(backend(), small());
  run.advance(2);
  const State start = run.simulation().save();
  std::vector<State> before;
  for (int k = 0; k < 60; ++k) {
    before.push_back(run.simulation().save());
    run.perform(Action{"droplet", {{"x", 0.1 + 0.01 * k}, {"y", 0.5}}, "", nullptr});
    run.advance(k % 3);  // some at the same step
  }
  const State end = run.simulation().save();
  for (int k = 59; k >= 0; --k) {
    ASSERT_NE(run.undo(), "") << k;
    ASSERT_TRUE(same(before[static_cast<std::size_t>(k)], run.simulation().save())) << k;
  }
  for (int k = 0; k < 60; ++k) ASSERT_NE(run.redo(), "");
  EXPECT_TRUE(same(end, run.simulation().save()));
}

TEST_P(ExperimentUndo, UndoReplaysFromStartWithoutSnapshotMemory) {
  Experiment run(backend(), small());
  std::vector<State> before;
  for (int k = 0; k < 5; ++k) {
    run.advance(7);
    before.push_back(run.simulation().save());
    fail_memory_after(0);  // of the snapshot
    run.perform(Action{"droplet", {{"x", 0.2 + 0.1 * k}, {"y", 0.5}}, "", nullptr});
    fail_memory_after(-1);
  }
  for (std::size_t k = before.size(); k-- > 0;) {
    ASSERT_NE(run.undo(), "");
    EXPECT_TRUE(same(before[k], run.simulation().save())) << k;
  }
}

TEST_P(ExperimentUndo, FailedAllocationInUndoLeavesRunUnchanged) {
  Experiment run(backend(), small());
  run.advance(5);
  run.perform(Action{"wall-line", {{"x0", 0.4}, {"y0", 0.5}, {"x1", 0.6}, {"y1", 0.5}}, "", nullptr});
  run.advance(5);
  const State before = run.simulation().save();
  bool rejected = true;
  for (int k = 0; k < 100 && rejected; ++k) {
    fail_memory_after(k);
    try {
      run.undo();
      rejected = false;
    } catch (const Error&) {
      ASSERT_TRUE(same(before, run.simulation().save())) << k;
      EXPECT_EQ(run.next_redo(), "");
    }
    fail_memory_after(-1);
  }
  EXPECT_EQ(run.simulation().steps(), 5);
  run.redo();
  EXPECT_TRUE(same(before, run.simulation().save()));
}

// The next change discards the undone ones; their snapshots must not serve the new history.
TEST_P(ExperimentUndo, ChangeAfterUndoDiscardsRedo) {
  const auto drop = [](double x) { return Action{"droplet", {{"x", x}, {"y", 0.5}}, "", nullptr}; };
  Experiment run(backend(), small());
  run.advance(10);
  run.perform(drop(0.2));
  run.advance(10);
  run.perform(drop(0.3));
  run.advance(10);
  run.undo();
  run.undo();
  run.advance(4);
  run.show({run.shown().view, Camera{0.4, 0.5, 2, 0, 0}});  // an event, but not an undo step
  run.advance(4);
  EXPECT_NE(run.next_redo(), "");
  run.perform(drop(0.7));
  EXPECT_EQ(run.next_redo(), "");
  run.advance(3);
  const State before = run.simulation().save();
  run.perform(drop(0.8));
  run.advance(20);
  run.undo();
  EXPECT_TRUE(same(before, run.simulation().save()));
  EXPECT_EQ(run.shown().camera.zoom, 2) << "the view stays";

  Experiment plain(backend(), small());
  plain.advance(18);
  plain.perform(drop(0.7));
  plain.advance(3);
  EXPECT_TRUE(same(before, plain.simulation().save()));
}

TEST_P(ExperimentUndo, StrokeAndSliderDragAreOneUndoStepEach) {
  Experiment run(backend(), small());
  Gesture g;
  g.tool = run.info().tools.front().id;
  g.x = g.y = g.previous_x = g.previous_y = g.start_x = g.start_y = 0.5;
  run.perform(g);
  g.phase = Gesture::Phase::move;
  for (int k = 0; k < 9; ++k) {
    run.advance(2);
    g.previous_x = g.x;
    g.x += 0.03;
    run.perform(g);
  }
  run.advance(3);
  const double damping = run.simulation().parameters().get("damping");
  for (int k = 1; k < 9; ++k) {
    run.set_parameter("damping", 0.01 * k, k > 1);
    run.advance(1);
  }
  run.undo();
  EXPECT_EQ(run.simulation().parameters().get("damping"), damping);
  EXPECT_EQ(run.setup().parameters, run.start().scene.setup.parameters);
  EXPECT_EQ(run.simulation().steps(), 21);
  run.undo();
  EXPECT_EQ(run.simulation().steps(), 0);
  EXPECT_EQ(run.next_undo(), "");
  run.redo();
  run.redo();
  EXPECT_EQ(run.simulation().parameters().get("damping"), 0.08);
}

// Many strokes: the log is compacted to start from a later state, and undo and the script stay correct.
TEST_P(ExperimentUndo, TheLogIsBounded) {
  SKIP_UNDER_SANITIZERS("signals and soak runs: one of each kind remains");
  const auto drop = [](int k) { return Action{"droplet", {{"x", 0.001 * (k % 1000)}, {"y", 0.5}}, "", nullptr}; };
  Scene s = small();
  s.setup.width = s.setup.height = 16;
  Experiment run(backend(), s);
  constexpr int strokes = 46'000;
  for (int k = 0; k < strokes; ++k) {
    run.perform(drop(k), k % 1000 != 0);
    if (k % 500 == 499) run.advance(1);
    ASSERT_LE(run.log().size(), 40'000u);
  }
  EXPECT_LT(run.log().size(), 30'000u);
  run.advance(3);
  const State before = run.simulation().save();
  run.perform(drop(7));
  run.advance(2);
  const State end = run.simulation().save();
  run.undo();
  expect_same(before, run.simulation().save(), "undo");
  run.redo();
  expect_same(end, run.simulation().save(), "redo");

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("perturb-log-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string script = (folder / "run.toml").string();
  save_script(run, script);
  const ScriptStart head = load_script_start(script);
  ASSERT_EQ(head.arguments.at(0), "--load");
  const State state = load_state((folder / head.arguments.at(1)).string());
  Experiment again(backend(), scene_of(state), state);
  again.schedule(load_script(script, "wave"));
  again.advance(*head.steps - state.steps);
  expect_same(end, again.simulation().save(), "script");
  std::filesystem::remove_all(folder);
}

// When snapshots fill their memory limit, the next one reuses the memory of one that is not needed.
TEST_P(ExperimentUndo, SnapshotReusesSpareMemory) {
  for (const SimulationInfo* info : catalog()) {
    const std::unique_ptr<Simulation> run = info->create(backend(), small_scene(info->id).setup);
    run->step(3);
    std::unique_ptr<StateCopy> spare = run->copy_state();
    const std::size_t bytes = spare->bytes(), in_use = backend().memory_in_use();
    run->step(4);
    const State then = run->save();
    fail_memory_after(0);
    std::unique_ptr<StateCopy> state_copy;
    EXPECT_NO_THROW(state_copy = run->copy_state(std::move(spare))) << info->id;
    fail_memory_after(-1);
    ASSERT_TRUE(state_copy);
    EXPECT_EQ(state_copy->bytes(), bytes) << info->id;
    EXPECT_EQ(backend().memory_in_use(), in_use) << info->id;
    run->step(2);
    run->restore(*state_copy);
    expect_same(then, run->save(), info->id);
  }
}

// Once the window has read the diagnostics, neither an undo nor a redo waits for newly allocated memory.
TEST_P(ExperimentUndo, KeepsSpareMemoryForUndo) {
  if (backend().is_cuda()) GTEST_SKIP() << "a device's memory is always available";
  for (const SimulationInfo* info : catalog()) {
    Experiment run(backend(), small_scene(info->id));
    run.advance(2);
    TestUser user(run);
    user.stroke(0);
    const auto look = [&] { run.check_diagnostics(run.simulation().diagnostics(run.shown().view, true)); };
    for (const bool back : {true, false}) {
      look();
      const std::size_t in_use = backend().memory_in_use();
      look();
      EXPECT_EQ(backend().memory_in_use(), in_use) << info->id << ": one is enough";
      EXPECT_FALSE((back ? run.undo() : run.redo()).empty());
      EXPECT_LE(backend().memory_in_use(), in_use) << info->id;
    }
  }
}

TEST_P(ExperimentUndo, KeepsNothingWhileRecordingIsOff) {
  Experiment run(backend(), small());
  run.set_recording(false);
  run.advance(3);
  const std::size_t in_use = backend().memory_in_use();
  for (int k = 0; k < 30; ++k) {
    run.perform(Action{"droplet", {{"x", 0.1 + 0.02 * k}, {"y", 0.5}}, "", nullptr});
    run.show({run.shown().view, Camera{0.4, 0.5, 2.0 + k, 0, 0}});
    run.advance(2);
  }
  EXPECT_EQ(backend().memory_in_use(), in_use);
  EXPECT_TRUE(run.log().empty());
  EXPECT_EQ(run.next_undo(), "");
  EXPECT_EQ(run.undo(), "");
  EXPECT_EQ(run.shown().camera.zoom, 31);
  Experiment other(backend(), small());
  other.advance(3);
  for (int k = 0; k < 30; ++k) {
    other.perform(Action{"droplet", {{"x", 0.1 + 0.02 * k}, {"y", 0.5}}, "", nullptr});
    other.advance(2);
  }
  expect_same(other.simulation().save(), run.simulation().save(), "the same run");
  run.restart();
  run.restart();
  EXPECT_EQ(run.simulation().steps(), 0);
  EXPECT_EQ(run.next_undo(), "");
}

}  // namespace
}  // namespace perturb
