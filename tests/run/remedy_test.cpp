// The change that is offered for a run that has stopped: tried on a copy, applied as in the trial.
#include "app/run/remedy.h"

#include <algorithm>
#include <variant>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
#include "cuda/core/simulation/stability.h"
#include "tests/support/session_fixture.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

constexpr double stable_courant = 0.70710678118654752;  // 1/sqrt(2): five points, two dimensions (von Neumann)

class RemedyRun : public SmallRun {
 protected:
  Scene unstable_on_purpose() const {
    Scene scene = small();
    scene.past_limit = "courant";
    return scene;
  }
  static void look(Experiment& run) { run.check_diagnostics(run.simulation().diagnostics(run.scene().view, true)); }
  static void advance_until_stop(Experiment& run) {
    for (int k = 0; k < 400 && run.stop_reason().empty(); ++k) {
      run.advance(25);
      look(run);
    }
    ASSERT_FALSE(run.stop_reason().empty());
  }
  static double courant(Experiment& run) {
    const ParameterSet now = run.simulation().parameters();
    return now.get("wave_speed") * now.get("time_step") / now.get("cell_size");
  }
  static std::size_t droplets(const Experiment& run) {
    return static_cast<std::size_t>(std::count_if(run.log().begin(), run.log().end(), [](const Event& event) {
      const auto* action = std::get_if<Action>(&event.change);
      return action && action->kind == "droplet";
    }));
  }
};
PERTURB_ON_EACH_BACKEND(RemedyRun);

TEST_P(RemedyRun, LowersTimeStepAndKeepsLaterChanges) {
  Experiment run(backend(), unstable_on_purpose());
  run.advance(10);
  run.set_parameter("time_step", 1.0);
  run.advance(5);
  run.perform(Action{"droplet", {{"x", 0.3}, {"y", 0.6}}, "", nullptr});
  advance_until_stop(run);
  const std::int64_t stopped = run.simulation().steps();
  EXPECT_FALSE(run.has_sought_remedy());
  run.find_remedy();
  ASSERT_TRUE(run.remedy());
  EXPECT_EQ(run.remedy()->parameter, "time_step");
  EXPECT_EQ(run.simulation().steps(), stopped) << "the trial is on a copy";
  EXPECT_FALSE(run.stop_reason().empty());

  const Remedy remedy = *run.remedy();
  run.apply_remedy();
  EXPECT_TRUE(run.stop_reason().empty());
  EXPECT_FALSE(run.remedy());
  EXPECT_EQ(run.simulation().parameters().get("time_step"), remedy.value);
  EXPECT_LT(courant(run), stable_courant);
  EXPECT_GT(courant(run), 0.9 * stable_courant) << "not smaller than needed";
  EXPECT_EQ(run.simulation().steps(), 15) << "where the last change was made";
  EXPECT_EQ(droplets(run), 1u);
  const std::vector<Event> log = run.log();
  while (run.simulation().steps() < 4 * stopped) {
    run.advance(25);
    look(run);
  }
  EXPECT_TRUE(run.stop_reason().empty()) << run.stop_reason();

  // The log is a script of the same run.
  Experiment again(backend(), unstable_on_purpose());
  again.schedule(log);
  again.advance(run.simulation().steps());
  EXPECT_TRUE(same(run.simulation().save(), again.simulation().save()));

  // Both are undo steps of their own.
  run.undo();
  EXPECT_EQ(droplets(run), 0u);
  EXPECT_EQ(run.simulation().parameters().get("time_step"), remedy.value);
  run.undo();
  EXPECT_EQ(run.simulation().parameters().get("time_step"), 0.05);
  EXPECT_EQ(run.simulation().steps(), 10);
}

// As from the command line: --set time_step=1.
TEST_P(RemedyRun, MendsSceneThatIsUnstableFromTheStart) {
  Scene scene = unstable_on_purpose();
  scene.setup.parameters["time_step"] = 1.0;
  scene.setup.actions.push_back({"droplet", {{"x", 0.4}, {"y", 0.5}}, "", nullptr});
  Experiment run(backend(), scene);
  advance_until_stop(run);
  const std::int64_t stopped = run.simulation().steps();
  run.find_remedy();
  ASSERT_TRUE(run.remedy());
  EXPECT_EQ(run.remedy()->parameter, "time_step");
  run.apply_remedy();
  EXPECT_LT(courant(run), stable_courant);
  while (run.simulation().steps() < 4 * stopped) {
    run.advance(25);
    look(run);
  }
  EXPECT_TRUE(run.stop_reason().empty()) << run.stop_reason();
}

// A script's events happen again by themselves, and only once.
TEST_P(RemedyRun, KeepsTheEventsOfAScript) {
  Experiment run(backend(), unstable_on_purpose());
  run.schedule({{12, Action{"droplet", {{"x", 0.3}, {"y", 0.6}}, "", nullptr}, "run.toml:3"},
                {14, ParameterChange{"damping", 0.01}, "run.toml:7"}});
  run.advance(10);
  run.set_parameter("time_step", 1.0);
  advance_until_stop(run);
  run.find_remedy();
  ASSERT_TRUE(run.remedy());
  run.apply_remedy();
  EXPECT_EQ(run.simulation().steps(), 10);
  run.advance(10);
  EXPECT_EQ(droplets(run), 1u);
  EXPECT_EQ(run.simulation().parameters().get("damping"), 0.01);
}

// Nothing that the simulation names helps here: no time step is small enough for a trial that never ends well.
TEST_P(RemedyRun, TrialFailsIfNumbersDoNotStayFinite) {
  const RemedyTrial trial{0, 400, 400, 400};
  Start start;
  start.scene = unstable_on_purpose();
  perturb::Run stable = perturb::Run::begin(backend(), start), unstable = perturb::Run::begin(backend(), start);
  EXPECT_TRUE(stays_finite(stable, {"time_step", 0.6}, {}, trial));
  EXPECT_GE(stable.simulation->time(), trial.stop_time) << "a smaller time step covers the same time";
  EXPECT_FALSE(stays_finite(unstable, {"time_step", 1.2}, {}, trial));
  EXPECT_LT(unstable.simulation->steps(), 800) << "ends where they are not";
}

TEST_P(RemedyRun, EveryNamedRemedyIsALiveParameterInItsRange) {
  for (const char* name :
       {"wave/droplet", "wave/double-slit", "lbm/cylinder", "lbm/airfoil", "lbm/cavity", "fibers/pair"}) {
    Experiment run(backend(), small_scene(name));
    const auto* source = dynamic_cast<const StabilityRemedies*>(&run.simulation());
    ASSERT_TRUE(source) << name;
    const std::vector<StabilityRemedy> remedies = source->remedies();
    EXPECT_FALSE(remedies.empty()) << name;
    for (const StabilityRemedy& one : remedies) {
      const Parameter& parameter = run.simulation().parameters().find(one.parameter);
      EXPECT_NO_THROW(parameter.check(one.value)) << name << " " << one.parameter;
      EXPECT_EQ(parameter.apply, Apply::live) << name << " " << one.parameter;
      EXPECT_NE(run.simulation().parameters().get(parameter), one.value) << name << " " << one.parameter;
    }
  }
}

using RemedySession = SessionFixture;

TEST_F(RemedySession, FindsItInTheBackgroundAndContinuesPlaying) {
  frame();
  session_.post(ParameterChange{"time_step", 5});
  events({});
  for (int i = 0; i < 400 && experiment_.stop_reason().empty(); ++i) frame();
  ASSERT_FALSE(experiment_.stop_reason().empty());
  frame();
  ASSERT_TRUE(session_.run().has_sought_remedy);
  ASSERT_TRUE(session_.run().remedy);
  EXPECT_EQ(session_.run().remedy->parameter, "time_step");
  session_.post(CommandId::apply_remedy);
  events({});
  EXPECT_TRUE(experiment_.stop_reason().empty());
  EXPECT_TRUE(session_.playback().playing());
  const std::int64_t before = experiment_.simulation().steps();
  frame();
  EXPECT_GT(experiment_.simulation().steps(), before);
}

}  // namespace
}  // namespace perturb
