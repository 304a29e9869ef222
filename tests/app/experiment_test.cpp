#include "app/experiment.h"

#include <gtest/gtest.h>

#include "app/files/presets.h"
#include "cuda/core/check.h"
#include "tests/support/backends.h"

namespace perturb {
namespace {

class ExperimentTest : public OnEachBackend {
 protected:
  // The wave tank on a small grid: any simulation would do.
  perturb::Setup small() const {
    perturb::Setup s = load_setup("wave/droplet");
    s.width = s.height = 64;
    return s;
  }
  static bool same(const State& a, const State& b) {
    for (const auto& [name, data] : a.datasets)
      if (!(data.bytes == b.datasets.at(name).bytes)) return false;
    return a.steps == b.steps && a.datasets.size() == b.datasets.size();
  }
};
PERTURB_ON_EACH_BACKEND(ExperimentTest);

TEST_P(ExperimentTest, ScheduledEventsHappenAtTheirStepHoweverFramesFall) {
  const std::vector<Event> script = {{7, ParameterChange{"damping", 0.5}},
                                     {3, Action{"droplet", {{"x", 0.2}, {"y", 0.7}}, "", nullptr}}};
  Experiment whole(backend(), small()), pieces(backend(), small());
  whole.schedule(script), pieces.schedule(script);
  whole.advance(20);
  for (const int n : {1, 5, 2, 12}) pieces.advance(n);
  EXPECT_TRUE(same(whole.simulation().save(), pieces.simulation().save()));
  ASSERT_EQ(whole.log().size(), 2u);
  EXPECT_EQ(whole.log()[0].step, 3);
  EXPECT_EQ(whole.simulation().parameters().get("damping"), 0.5);
}

TEST_P(ExperimentTest, TheLogReplaysTheRun) {
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

TEST_P(ExperimentTest, WhatIsRefusedChangesNothing) {
  Experiment run(backend(), small());
  run.advance(3);
  const State before = run.simulation().save();
  EXPECT_THROW(run.perform(Action{"droplett", {}, "", nullptr}), InputError);
  EXPECT_THROW(run.perform(Action{"droplet", {{"x", 7.0}, {"y", 0.0}}, "", nullptr}), InputError);
  EXPECT_THROW(run.set_parameter("damping", -1), InputError);
  EXPECT_THROW(run.set_parameter("dampling", 0), InputError);
  perturb::Setup wrong = small();
  wrong.simulation = "waves";
  EXPECT_THROW(run.open(wrong), InputError);
  EXPECT_TRUE(same(before, run.simulation().save()));
  EXPECT_TRUE(run.log().empty());
}

TEST_P(ExperimentTest, TroubleStopsTheRunAndTheLastGoodStateComesBack) {
  Experiment run(backend(), small());
  run.advance(10);
  const State good = run.simulation().save();
  run.set_parameter("time_step", 1.0);  // c·dt/dx = 1, beyond 1/sqrt(2)
  for (int k = 0; k < 200 && run.trouble().empty(); ++k) {
    run.advance(50);
    run.inspect(run.simulation().diagnostics(run.setup().view, true));
  }
  ASSERT_FALSE(run.trouble().empty());
  EXPECT_NE(run.trouble().find("time_step"), std::string::npos) << run.trouble();
  const std::int64_t stopped = run.simulation().steps();
  run.advance(50);
  EXPECT_EQ(run.simulation().steps(), stopped);
  ASSERT_TRUE(run.can_go_back());
  run.go_back();
  EXPECT_TRUE(run.trouble().empty());
  EXPECT_TRUE(same(good, run.simulation().save()));
  EXPECT_EQ(run.simulation().parameters().get("time_step"), 0.05);
}

TEST_P(ExperimentTest, EventsThatComeTooLateAreRefused) {
  Experiment run(backend(), small());
  run.advance(10);
  EXPECT_THROW(run.schedule({{5, ParameterChange{"damping", 0.5}}}), InputError);
}

}  // namespace
}  // namespace perturb
