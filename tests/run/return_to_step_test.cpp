// Going back to an earlier step in slices of time, out of a stopped run, and without recording. That it gives the same
// bits is tested for every simulation (contract/return_to_step_test.cpp).
#include <chrono>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/state/portable_state.h"
#include "app/run/experiment.h"
#include "tests/contract/small_scene.h"

namespace perturb {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(const Experiment& run) { return portable_bytes_of(run.simulation().save()); }

TEST(ReturnInSlices, ReachesTheStepByRepeatedCalls) {
  const auto backend = Backend::make_cpu(2);
  Experiment run(*backend, small_scene("wave", "double-slit", 24));
  run.advance(200);
  const Bytes there = bytes(run);
  run.advance(300);
  // Each look at the clock finds a second gone: a call takes one slice of steps.
  StateRestorer::TimePoint now;
  run.set_snapshot_clock([&] { return now += std::chrono::milliseconds(60); });
  int calls = 0;
  for (; calls < 300 && (calls == 0 || run.simulation().steps() != 200); ++calls)
    run.return_to_step(200, std::chrono::milliseconds(100));
  EXPECT_GT(calls, 1);
  EXPECT_EQ(run.simulation().steps(), 200);
  EXPECT_EQ(run.past().second, 500);
  EXPECT_TRUE(bytes(run) == there);
}

TEST(ReturnOfAStoppedRun, LeadsOutOfIt) {
  const auto backend = Backend::make_cpu(1);
  Scene scene = small_scene("wave", "double-slit", 24);
  scene.past_limit = "stability";
  Experiment run(*backend, scene);
  run.advance(50);
  run.schedule({{60, ParameterChange{"time_step", 1}}});
  const auto run_until_it_stops = [&] {
    for (int k = 0; k < 200 && run.stop_reason().empty(); ++k) {
      run.advance(50);
      run.check_diagnostics(run.simulation().diagnostics(scene.view, true));
    }
    return !run.stop_reason().empty();
  };
  ASSERT_TRUE(run_until_it_stops());
  run.return_to_step(55);
  EXPECT_TRUE(run.stop_reason().empty());
  EXPECT_EQ(run.simulation().steps(), 55);
  EXPECT_TRUE(run.simulation().diagnostics(scene.view, true).finite);
  // The last good state is one of this course, not the end of the other one.
  ASSERT_TRUE(run_until_it_stops());
  run.restore_last_good();
  EXPECT_TRUE(run.stop_reason().empty());
  EXPECT_TRUE(run.simulation().diagnostics(scene.view, true).finite);
}

TEST(ReturnWithoutRecording, DoesNothing) {
  const auto backend = Backend::make_cpu(1);
  Experiment run(*backend, small_scene("wave", "double-slit", 24));
  run.set_recording(false);
  run.advance(9);
  run.return_to_step(3);
  EXPECT_EQ(run.simulation().steps(), 9);
}

}  // namespace
}  // namespace perturb
