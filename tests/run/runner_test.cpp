// A run on its own thread: jobs are done in order, the caller never waits, and the results are bit-identical.
#include "app/run/runner.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

constexpr std::int64_t unlimited = std::int64_t{1} << 40;  // more steps than a test can wait for

Scene tank() { return scene_of_width("wave/droplet", 64); }

// Waits for all posted jobs.
void finish(Runner& runner) {
  while (!runner.is_idle()) {
    runner.wait_until(Runner::Clock::now() + std::chrono::seconds(1));
    runner.deliver_results();
  }
}

job::ApplyGesture drop(double x) {
  Gesture gesture;
  gesture.tool = "droplet";
  gesture.x = gesture.previous_x = gesture.start_x = x;
  gesture.y = gesture.previous_y = gesture.start_y = 0.5;
  return {gesture};
}

std::vector<std::byte> bytes_of(const Experiment& experiment) {
  std::vector<std::byte> bytes;
  for (const auto& [name, field] : experiment.simulation().save().datasets)
    bytes.insert(bytes.end(), field.bytes.begin(), field.bytes.end());
  return bytes;
}

TEST(Runner, OwnThreadGivesSameResultBitForBit) {
  const auto backend = Backend::make_cpu(2);
  std::vector<std::vector<std::byte>> results;
  for (const Runner::Where where : {Runner::Where::here, Runner::Where::own_thread}) {
    Experiment experiment(*backend, tank());
    {
      Runner runner(experiment, where);
      const auto done = [](JobResult& result) { result.check(); };
      runner.post(job::Advance{7}, done);
      runner.post(drop(0.3), done);
      runner.post(job::Advance{9}, done);
      runner.post(job::SetParameters{{{"damping", 0.02}}, false}, done);
      runner.post(drop(0.6), done);
      runner.post(job::Advance{5}, done);
      finish(runner);
      runner.post(job::Undo{}, done);
      runner.post(job::Advance{11}, done);
      finish(runner);
      EXPECT_EQ(runner.status()->steps, experiment.simulation().steps());
      EXPECT_EQ(runner.status()->events, experiment.log().size());
      EXPECT_EQ(runner.status()->value_of("damping"), 0.02);
    }
    results.push_back(bytes_of(experiment));
  }
  EXPECT_FALSE(results[0].empty());
  EXPECT_EQ(results[0], results[1]);
}

TEST(Runner, CompletesJobsInOrderWithoutBlockingCaller) {
  const auto backend = Backend::make_cpu(1);
  Experiment experiment(*backend, tank());
  std::mutex mutex;
  std::condition_variable open;
  bool is_open = false;
  std::vector<std::string> texts;
  Runner runner(experiment, Runner::Where::own_thread);
  runner.post(job::Inspect{[&](const Experiment&) {
                std::unique_lock lock(mutex);
                open.wait(lock, [&] { return is_open; });
                return std::string("long");
              }},
              [&](JobResult& result) { texts.push_back(result.text); });
  runner.post(drop(0.5), [&](JobResult& result) { texts.push_back(result.actions.front().kind); });
  runner.post(job::Advance{3}, [&](JobResult& result) { texts.push_back(std::to_string(result.steps)); });
  EXPECT_FALSE(runner.wait_until(Runner::Clock::now()));
  runner.deliver_results();
  EXPECT_TRUE(texts.empty());
  EXPECT_EQ(runner.status()->steps, 0);
  {
    const std::lock_guard lock(mutex);
    is_open = true;
  }
  open.notify_one();
  finish(runner);
  EXPECT_EQ(texts, (std::vector<std::string>{"long", "droplet", "3"}));
  EXPECT_EQ(runner.status()->steps, 3);
}

TEST(Runner, CancelsPendingStepsWhenRunIsReplaced) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, tank());
  Runner runner(experiment, Runner::Where::own_thread);
  const std::vector<RunJob> replacing = {job::Restart{}, job::Undo{}, job::Open{[] {
                                           Start start;
                                           start.scene = tank();
                                           return start;
                                         }}};
  for (const RunJob& job : replacing) {
    SCOPED_TRACE(job.index());
    bool cancelled = false;
    std::int64_t taken = 0;
    runner.post(drop(0.4), [](JobResult& result) { result.check(); });
    runner.post(job::Advance{unlimited}, [&](JobResult& result) {
      result.check();
      cancelled = result.cancelled;
      taken = result.steps;
    });
    runner.post(job, [](JobResult& result) { result.check(); });
    finish(runner);
    EXPECT_TRUE(cancelled);
    EXPECT_LT(taken, unlimited);
    // It can continue.
    const std::int64_t before = runner.status()->steps;
    runner.post(job::Advance{2}, [](JobResult& result) { EXPECT_FALSE(result.cancelled); });
    finish(runner);
    EXPECT_EQ(runner.status()->steps, before + 2);
  }
}

TEST(Runner, StopsComputationOnDestruction) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, tank());
  {
    Runner runner(experiment, Runner::Where::own_thread);
    runner.post(job::Advance{unlimited}, [](JobResult&) { ADD_FAILURE() << "the result must not be collected"; });
  }
  experiment.advance(1);
  EXPECT_GE(experiment.simulation().steps(), 1);
}

TEST(Runner, ReportsErrorsAndKeepsRun) {
  const auto backend = Backend::make_cpu(1);
  Experiment experiment(*backend, tank());
  Runner runner(experiment, Runner::Where::own_thread);
  std::string rejection, failure;
  runner.post(job::Advance{4}, [](JobResult& result) { result.check(); });
  runner.post(job::SetParameters{{{"damping", 1e9}}, false},
              [&](JobResult& result) { rejection = result.errors.at(0).second.english(); });
  finish(runner);
  runner.post(job::Open{[]() -> Start { throw InputError("There is no such file."); }}, [&](JobResult& result) {
    try {
      result.check();
    } catch (const InputError& error) {
      failure = error.what();
    }
  });
  finish(runner);
  EXPECT_NE(rejection.find("damping"), std::string::npos) << rejection;
  EXPECT_EQ(failure, "There is no such file.");
  EXPECT_EQ(runner.status()->steps, 4);
}

}  // namespace
}  // namespace perturb
