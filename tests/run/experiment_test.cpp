#include "app/run/experiment.h"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/portable_state.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_state.h"
#include "tests/support/sanitized.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class ExperimentTest : public SmallRun {
 protected:
  // A scene in which changes may exceed the limit of stability.
  Scene unstable_on_purpose() const {
    Scene scene = small();
    scene.past_limit = "courant";
    return scene;
  }
};
PERTURB_ON_EACH_BACKEND(ExperimentTest);

TEST_P(ExperimentTest, AppliesScheduledEventsAtTheirStepForAnyFrameSize) {
  const std::vector<Event> script = {{7, ParameterChange{"damping", 0.5}},
                                     {3, Action{"droplet", {{"x", 0.2}, {"y", 0.7}}, "", nullptr}}};
  Experiment whole(backend(), small()), pieces(backend(), small());
  whole.schedule(script);
  pieces.schedule(script);
  whole.advance(20);
  for (const int n : {1, 5, 2, 12}) pieces.advance(n);
  EXPECT_TRUE(same(whole.simulation().save(), pieces.simulation().save()));
  ASSERT_EQ(whole.log().size(), 2u);
  EXPECT_EQ(whole.log()[0].step, 3);
  EXPECT_EQ(whole.simulation().parameters().get("damping"), 0.5);
}

TEST_P(ExperimentTest, ReplaysRunFromLog) {
  Experiment live(backend(), small());
  live.advance(5);
  live.perform(Action{"droplet", {{"x", 0.25}, {"y", 0.25}}, "", nullptr});
  live.advance(4);
  live.set_parameter("damping", 0.1);
  live.advance(11);
  Experiment replay(backend(), small());
  replay.schedule(live.log());
  replay.advance(20);
  EXPECT_TRUE(same(live.simulation().save(), replay.simulation().save()));
}

TEST_P(ExperimentTest, RejectedChangeLeavesRunUnchanged) {
  Experiment run(backend(), small());
  run.advance(3);
  const State before = run.simulation().save();
  EXPECT_THROW(run.perform(Action{"droplett", {}, "", nullptr}), InputError);
  EXPECT_THROW(run.perform(Action{"droplet", {{"x", 7.0}, {"y", 0.0}}, "", nullptr}), InputError);
  EXPECT_THROW(run.set_parameter("damping", -1), InputError);
  EXPECT_THROW(run.set_parameter("dampling", 0), InputError);
  Scene wrong = small();
  wrong.setup.simulation = "waves";
  EXPECT_THROW(run.open(wrong), InputError);
  EXPECT_TRUE(same(before, run.simulation().save()));
  EXPECT_TRUE(run.log().empty());
}

TEST_P(ExperimentTest, StopsOnNonFiniteNumbersAndRestoresLastGoodState) {
  Experiment run(backend(), unstable_on_purpose());
  run.advance(10);
  const State good = run.simulation().save();
  run.set_parameter("time_step", 1.0);  // c·dt/dx = 1, beyond 1/sqrt(2)
  for (int k = 0; k < 200 && run.stop_reason().empty(); ++k) {
    run.advance(50);
    run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true));
  }
  ASSERT_FALSE(run.stop_reason().empty());
  EXPECT_NE(run.stop_reason().english().find("time step"), std::string::npos) << run.stop_reason().english();
  const std::int64_t stopped = run.simulation().steps();
  run.advance(50);
  EXPECT_EQ(run.simulation().steps(), stopped);
  ASSERT_TRUE(run.can_restore_last_good());
  run.restore_last_good();
  EXPECT_TRUE(run.stop_reason().empty());
  EXPECT_TRUE(same(good, run.simulation().save()));
  EXPECT_EQ(run.simulation().parameters().get("time_step"), 0.05);
}

TEST_P(ExperimentTest, RejectsChangesThatMakeAStableRunUnstable) {
  Experiment run(backend(), small());
  run.advance(5);
  EXPECT_THROW(run.set_parameter("time_step", 0.72), InputError);
  EXPECT_THROW(run.set_parameter("cell_size", 0.05), InputError);
  run.set_parameter("time_step", 0.5);  // below 1/sqrt(2)
  EXPECT_THROW(run.set_parameter("wave_speed", 1.5), InputError);
  const Action fast{"speed-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 5}, {"factor", 2}}, "", nullptr};
  EXPECT_THROW(run.perform(fast), InputError);
  EXPECT_EQ(run.log().size(), 1u);
  EXPECT_EQ(run.simulation().parameters().get("time_step"), 0.5);
  run.set_parameter("time_step", 0.3);
  run.perform(fast);  // 2 * 0.3 is below the limit
  EXPECT_EQ(run.log().size(), 3u);
  // The message says which value works.
  try {
    run.set_parameter("time_step", 1);
    ADD_FAILURE() << "was not rejected";
  } catch (const InputError& error) {
    EXPECT_NE(error.message().english().find("Choose 0.3"), std::string::npos) << error.what();
  }
}

TEST_P(ExperimentTest, ScriptMayExceedTheLimitOfStability) {
  Experiment run(backend(), small());
  run.schedule({{3, ParameterChange{"time_step", 0.9}}});
  run.advance(5);
  EXPECT_EQ(run.simulation().parameters().get("time_step"), 0.9);
  run.set_parameter("time_step", 1);  // it is unstable already
}

// A slider dragged until the run stops passes through values that were never shown to be stable: the last good state is
// the one at the start of the drag, not one during it. The drag takes long enough for snapshots during it.
TEST_P(ExperimentTest, SlowDragIntoInstabilityRestoresStateBeforeDrag) {
  SKIP_UNDER_SANITIZERS("signals and soak runs: one of each kind remains");
  Experiment run(backend(), unstable_on_purpose());
  StateRestorer::TimePoint now;
  run.set_snapshot_clock([&] { return now; });
  const auto look = [&] { run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true)); };
  run.advance(500);
  look();
  const double good = run.simulation().parameters().get("time_step");
  double step = good;
  for (int move = 0; move < 400 && run.stop_reason().empty(); ++move) {
    step = std::min(1., 1.1 * step);  // c·dt/dx = 1, beyond 1/sqrt(2)
    run.set_parameter("time_step", step);
    run.advance(20);
    look();
    if (move == 8 || move == 16) now += std::chrono::minutes(1);
  }
  ASSERT_FALSE(run.stop_reason().empty());
  ASSERT_TRUE(run.can_restore_last_good());
  run.restore_last_good();
  EXPECT_EQ(run.simulation().parameters().get("time_step"), good);
  EXPECT_EQ(run.setup().parameters.at("time_step"), good);
  EXPECT_EQ(run.simulation().steps(), 500);
  for (int k = 0; k < 20; ++k) {
    run.advance(200);
    look();
  }
  EXPECT_TRUE(run.stop_reason().empty()) << run.stop_reason();
}

// The same when it was dragged again soon after, with only a short stable time in between.
TEST_P(ExperimentTest, ShortPeriodsBetweenChangesAreNotGoodStates) {
  Experiment run(backend(), unstable_on_purpose());
  const auto look = [&] { run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true)); };
  run.advance(1000);
  for (const double step : {0.2, 0.4, 0.6, 1.}) {
    run.set_parameter("time_step", step);
    for (int k = 0; k < 4 && run.stop_reason().empty(); ++k) {
      run.advance(50);
      look();
    }
  }
  for (int k = 0; k < 100 && run.stop_reason().empty(); ++k) {
    run.advance(50);
    look();
  }
  ASSERT_FALSE(run.stop_reason().empty());
  run.restore_last_good();
  EXPECT_EQ(run.simulation().steps(), 1000);
}

TEST_P(ExperimentTest, RestartKeepsParametersMovedByAChange) {
  for (const char* scene : {"wave/droplet", "lbm/cavity"}) {
    Scene s = load_scene(scene);
    s.setup.width = s.setup.height = 48;
    for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
      s.setup.parameters.erase(side);
    Experiment run(backend(), s);
    const auto choose = [&](const std::string& side, const std::string& kind) {
      run.set_parameter(side, run.simulation().parameters().find(side).parse(kind));
    };
    choose("boundary_left", "periodic");
    choose("boundary_left", scene[0] == 'w' ? "absorbing" : "outlet");
    const State before = run.simulation().save();
    run.restart();
    EXPECT_EQ(run.simulation().save().parameters, before.parameters) << scene;
  }
}

TEST_P(ExperimentTest, RestartKeepsChosenKernel) {
  for (const SimulationInfo* info : catalog()) {
    Scene s = load_scene(info->id);
    s.setup.width = std::min(s.setup.width, 64);
    s.setup.height = std::min(s.setup.height, 64);
    Experiment run(backend(), s);
    const auto possible = [&](const KernelVariant& k) { return backend().is_cuda() ? k.on_cuda : k.on_cpu; };
    const auto kernel = std::find_if(info->kernels.begin(), info->kernels.end(), possible);
    ASSERT_NE(kernel, info->kernels.end());
    run.choose_kernel(kernel->id);
    run.restart();
    EXPECT_EQ(run.simulation().selected_kernel(), kernel->id) << info->id;
    // A parameter that restarts the scene, and restoring the last good state, keep it too.
    for (const Parameter& p : info->parameters)
      if (p.apply == Apply::restart && p.kind == ValueKind::boolean) {
        try {
          run.set_parameter(p.id, 1 - run.simulation().parameters().get(p));
        } catch (const InputError&) {
          // Not compatible with the other values; the run continues unchanged.
        }
        EXPECT_EQ(run.simulation().selected_kernel(), kernel->id) << info->id << " " << p.id;
      }
  }
}

TEST_P(ExperimentTest, UnavailableKernelFallsBackToAutoWithWarning) {
  Scene s = load_scene("lbm/cavity");
  s.setup.width = s.setup.height = 48;
  Experiment run(backend(), s);
  run.choose_kernel("fused");
  run.set_parameter("storage", run.simulation().parameters().find("storage").parse("fp16"));
  EXPECT_EQ(run.simulation().selected_kernel(), "auto");
  const std::string note = run.take_warning().english();
  EXPECT_NE(note.find("fused"), std::string::npos) << note;
  EXPECT_NE(note.find("automatically"), std::string::npos) << note;
}

// Whatever kernel the user chose: the file of the run continues with it.
TEST_P(ExperimentTest, SavedStateContinuesWithChosenKernel) {
  for (const SimulationInfo* info : catalog()) {
    Experiment run(backend(), small_scene(info->id));
    EXPECT_EQ(kernel_of(run.saved_state()), "auto") << info->id;
    for (const KernelVariant& kernel : info->kernels) {
      if (!(backend().is_cuda() ? kernel.on_cuda : kernel.on_cpu)) continue;
      try {
        run.choose_kernel(kernel.id);
      } catch (const InputError&) {
        continue;  // not in this scene
      }
      const State state = read_portable_state(portable_bytes_of(run.saved_state()));
      Experiment resumed(backend(), scene_of(state), state);
      EXPECT_EQ(resumed.kernel(), kernel.id) << info->id;
      EXPECT_EQ(resumed.simulation().selected_kernel(), kernel.id) << info->id;
      EXPECT_EQ(kernel_of(resumed.saved_state()), kernel.id) << info->id;
    }
  }
}

TEST_P(ExperimentTest, StateWithAnUnavailableKernelContinuesAutomatically) {
  State state = Experiment(backend(), small()).saved_state();
  state.kernel = edited_kernel_id("a text is not a choice of a kernel");
  EXPECT_EQ(kernel_of(state), "auto");
  state.kernel = "of-another-machine";
  Experiment resumed(backend(), scene_of(state), state);
  EXPECT_EQ(resumed.kernel(), "auto");
  EXPECT_EQ(resumed.start().kernel, "auto");
  const std::string note = resumed.take_warning().english();
  EXPECT_NE(note.find("of-another-machine"), std::string::npos) << note;
  EXPECT_NE(note.find("automatically"), std::string::npos) << note;
  // A choice by the user is not replaced.
  Start start = resumed.start();
  start.kernel = "misspelt";
  EXPECT_THROW(Experiment(backend(), start), InputError);
}

// Dragging the membrane's load changes parameters.
TEST_P(ExperimentTest, RestartKeepsParametersSetByAction) {
  Experiment run(backend(), small_scene("membrane/load"));
  run.perform(Action{"source", {{"x", 0.3}, {"y", 0.6}}, "", nullptr});
  run.advance(2);
  run.restart();
  EXPECT_EQ(run.simulation().parameters().get("source_x"), 0.3);
  EXPECT_EQ(run.simulation().parameters().get("source_y"), 0.6);
  run.undo();
  run.undo();
  EXPECT_EQ(run.simulation().save().parameters, run.simulation().save().parameters);
  EXPECT_NE(run.simulation().parameters().get("source_x"), 0.3);
}
// A sweep changes the frequency by itself: that is not the user's value, whatever else is changed meanwhile.
TEST_P(ExperimentTest, RestartResetsSweptParameter) {
  Scene s = small_scene("membrane/chladni");
  s.setup.parameters["frequency"] = 7;
  s.setup.parameters["sweep"] = 1;
  s.setup.parameters["sweep_from"] = 5;
  s.setup.parameters["sweep_to"] = 20;
  Experiment run(backend(), s);
  run.advance(4);
  EXPECT_GT(run.simulation().parameters().get("frequency"), 7);
  run.set_parameter("source_strength", 2);
  EXPECT_EQ(run.setup().parameters.at("frequency"), 7);
  const State swept = run.simulation().save();
  run.advance(4);
  run.perform(Action{"source", {{"x", 0.3}, {"y", 0.6}}, "", nullptr});
  run.undo();
  run.undo();
  run.redo();
  run.restart();
  EXPECT_EQ(run.simulation().parameters().get("frequency"), 7);
}

TEST_P(ExperimentTest, AppliesKernelsAndViewsOfScript) {
  Experiment run(backend(), small());
  ViewSettings view = run.scene().view;
  view.quantity = "height";
  run.schedule({{4, ChooseKernel{"fused"}}, {6, ViewChange{view, Camera{}}}});
  run.advance(5);
  EXPECT_EQ(run.kernel(), "fused");
  EXPECT_EQ(run.simulation().selected_kernel(), "fused");
  run.advance(5);
  EXPECT_EQ(run.shown().view.quantity, "height");
  EXPECT_THROW(run.schedule({{20, ChooseKernel{"fussed"}}}), InputError);
}

TEST_P(ExperimentTest, RejectsEventsOfPastSteps) {
  Experiment run(backend(), small());
  run.advance(10);
  EXPECT_THROW(run.schedule({{5, ParameterChange{"damping", 0.5}}}), InputError);
}

}  // namespace
}  // namespace perturb
