// Several clients change one run: their strokes at the same time, their undo steps, and the objects that they hold.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/scripts.h"
#include "app/io/state/script_file.h"
#include "app/run/experiment.h"
#include "app/run/run_log.h"
#include "cuda/core/simulation/object.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class Clients : public SmallRun {
 protected:
  // An event of a client's stroke from left to right; steps are taken after it.
  static void draw(Experiment& run, int client, Gesture::Phase phase, double x) {
    Gesture g;
    g.tool = "wall";
    g.phase = phase;
    g.x = x;
    g.previous_x = phase == Gesture::Phase::press ? x : x - 0.1;
    g.start_x = 0.2;
    g.y = g.previous_y = g.start_y = client == 1 ? 0.3 : 0.7;
    for (const Tool& tool : run.info().tools)
      if (tool.id == g.tool)
        for (const ValueInfo& setting : tool.brush) g.brush[setting.id] = setting.initial;
    run.perform(g, client);
    run.advance(2);
  }
  // Two strokes at once.
  static void draw_both(Experiment& run) {
    using Phase = Gesture::Phase;
    draw(run, 1, Phase::press, 0.2);
    draw(run, 2, Phase::press, 0.2);
    for (const double x : {0.3, 0.4})
      for (const int client : {1, 2}) draw(run, client, Phase::move, x);
    draw(run, 1, Phase::release, 0.5);
    draw(run, 2, Phase::release, 0.5);
  }
  static int undo_all(Experiment& run) {
    int count = 0;
    for (; !run.next_undo().empty(); ++count) run.undo();
    return count;
  }
  static double value(Experiment& run, const char* id) { return run.simulation().parameters().get(id); }
};
PERTURB_ON_EACH_BACKEND(Clients);

TEST_P(Clients, TwoStrokesAtOnceAreTwoUndoSteps) {
  Experiment run(backend(), small());
  run.advance(1);
  const State before = run.simulation().save();
  draw_both(run);
  const State end = run.simulation().save();
  std::vector<std::int64_t> steps;
  std::vector<double> heights;
  for (const Event& event : run.log()) {
    steps.push_back(event.step);
    heights.push_back(std::get<Action>(event.change).get("y0"));
  }
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  for (std::size_t k = 1; k < heights.size(); ++k) EXPECT_NE(heights[k], heights[k - 1]) << "by turns";
  EXPECT_FALSE(run.undo().empty());
  EXPECT_EQ(run.simulation().steps(), 3) << "before the press of the second";
  EXPECT_EQ(run.log().size(), 1u);
  EXPECT_EQ(undo_all(run), 1);
  EXPECT_TRUE(same(run.simulation().save(), before));
  for (int k = 0; k < 2; ++k) run.redo();
  EXPECT_TRUE(same(run.simulation().save(), end));
}

TEST_P(Clients, InterleavedStrokesReplayFromTheScriptBitForBit) {
  Experiment run(backend(), small());
  draw_both(run);
  Experiment again(backend(), small());
  again.schedule(parse_script(script_of(run), "run.toml", "wave"));
  again.advance(run.simulation().steps());
  EXPECT_TRUE(same(again.simulation().save(), run.simulation().save()));
}

TEST_P(Clients, StrokeAfterUndoBeginsAnUndoStep) {
  Experiment run(backend(), small());
  draw(run, 1, Gesture::Phase::press, 0.2);
  draw(run, 2, Gesture::Phase::press, 0.2);
  run.undo();
  draw(run, 1, Gesture::Phase::move, 0.3);
  EXPECT_EQ(undo_all(run), 2);
}

TEST_P(Clients, ChangeOfAParameterLeavesAnothersStrokeWhole) {
  Experiment run(backend(), small());
  draw(run, 1, Gesture::Phase::press, 0.2);
  run.set_parameter("damping", 0.02, false, 2);
  draw(run, 1, Gesture::Phase::move, 0.3);
  EXPECT_EQ(undo_all(run), 2);
}

TEST_P(Clients, SliderMergesOnlyIntoTheClientsOwnStep) {
  Experiment run(backend(), small());
  const double damping = value(run, "damping");
  run.set_parameter("damping", 0.01, false, 1);
  run.set_parameter("damping", 0.02, true, 1);
  run.perform(Action{"droplet", {{"x", 0.5}, {"y", 0.5}}, "", nullptr}, true, 2);
  run.set_parameter("damping", 0.03, true, 1);
  run.undo();
  EXPECT_EQ(value(run, "damping"), 0.02);
  EXPECT_EQ(run.log().size(), 3u) << "the droplet stays";
  run.undo();
  run.undo();
  EXPECT_EQ(value(run, "damping"), damping);
  EXPECT_TRUE(run.next_undo().empty());
}

TEST_P(Clients, HeldObjectIsRefusedToOthers) {
  Scene scene = scene_of_width("wave/double-slit", 64);
  scene.setup.width = 128;
  Experiment run(backend(), scene);
  const auto objects = run.simulation().objects();
  ASSERT_GE(objects.size(), 2u);
  const auto number_of = [](const SceneObject& object) { return object.numbers.begin()->first; };
  const auto changed_by = [&](int client, const SceneObject& object) {
    const Action action = changed(object, number_of(object), object.numbers.begin()->second);
    return error_thrown_by([&] { run.perform(action, false, client); });
  };
  run.hold_object(objects[0].id, 1);
  run.hold_object(objects[0].id, 1);
  EXPECT_EQ(changed_by(2, objects[0]), "Somebody else holds this object.");
  EXPECT_EQ(error_thrown_by([&] { run.perform(removed(objects[0]), false, 0); }), "Somebody else holds this object.");
  EXPECT_NE(error_thrown_by([&] { run.hold_object(objects[0].id, 2); }), "");
  EXPECT_TRUE(run.next_undo().empty());
  EXPECT_EQ(changed_by(1, objects[0]), "");
  EXPECT_EQ(changed_by(2, objects[1]), "");
  run.release_objects(1);
  EXPECT_EQ(changed_by(2, objects[0]), "");
  run.hold_object(objects[0].id, 1);
  run.restart();
  EXPECT_EQ(changed_by(2, objects[0]), "") << "no drag outlives a restart";
}

TEST(ClientsLog, ForgetsTheUndoStepOfAStrokeThatIsLongerThanTheLog) {
  RunLog log;
  log.begin({}, 0);
  log.begin_undo_step({"Stroke", {}});
  for (std::int64_t step = 1; step < 45'000; ++step) {
    if (log.needs_checkpoint(step)) {
      Start start;
      start.state = std::make_shared<const State>();
      log.set_checkpoint({0, step, log.events(), 0}, start);
    }
    log.record({step, Action{"droplet", {}, "", nullptr}}, true);
  }
  EXPECT_FALSE(log.can_undo());
  EXPECT_LT(log.segment().events.size(), 40'000u);
}

}  // namespace
}  // namespace perturb
