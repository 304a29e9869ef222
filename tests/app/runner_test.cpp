// A run on a thread of its own: what is asked is done in turn, a front never waits for it, and the bits are the same.
#include "app/run/runner.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "app/scenes/presets.h"
#include "cuda/core/check.h"

namespace perturb {
namespace {

constexpr std::int64_t endless = std::int64_t{1} << 40;  // steps that no test could wait for

Scene tank() {
  Scene scene = load_scene("wave/droplet");
  scene.setup.width = scene.setup.height = 64;
  return scene;
}

// Waits for all that was asked.
void finish(Runner& runner) {
  while (!runner.rests()) {
    runner.wait_until(Runner::Clock::now() + std::chrono::seconds(1));
    runner.collect();
  }
}

Gesture drop(double x) {
  Gesture gesture;
  gesture.tool = "droplet";
  gesture.x = gesture.previous_x = gesture.start_x = x;
  gesture.y = gesture.previous_y = gesture.start_y = 0.5;
  return gesture;
}

std::vector<std::byte> bytes_of(const Experiment& experiment) {
  std::vector<std::byte> bytes;
  for (const auto& [name, field] : experiment.simulation().save().datasets)
    bytes.insert(bytes.end(), field.bytes.begin(), field.bytes.end());
  return bytes;
}

TEST(Runner, OnItsThreadGivesTheBitsOfHere) {
  const auto backend = Backend::make_cpu(2);
  std::vector<std::vector<std::byte>> results;
  for (const Runner::Where where : {Runner::Where::here, Runner::Where::own_thread}) {
    Experiment experiment(*backend, tank());
    {
      Runner runner(experiment, where);
      const auto done = [](Answer& answer) { answer.check(); };
      runner.post(order::Advance{7}, done);
      runner.post(drop(0.3), done);
      runner.post(order::Advance{9}, done);
      runner.post(order::SetParameters{{{"damping", 0.02}}, false}, done);
      runner.post(drop(0.6), done);
      runner.post(order::Advance{5}, done);
      finish(runner);
      runner.post(order::Undo{}, done);
      runner.post(order::Advance{11}, done);
      finish(runner);
      EXPECT_EQ(runner.facts()->steps, experiment.simulation().steps());
      EXPECT_EQ(runner.facts()->events, experiment.log().size());
      EXPECT_EQ(runner.facts()->value_of("damping"), 0.02);
    }
    results.push_back(bytes_of(experiment));
  }
  EXPECT_FALSE(results[0].empty());
  EXPECT_EQ(results[0], results[1]);
}

TEST(Runner, OrdersAreAnsweredInTurnAndNobodyWaits) {
  const auto backend = Backend::make_cpu(1);
  Experiment experiment(*backend, tank());
  std::mutex mutex;
  std::condition_variable open;
  bool is_open = false;
  std::vector<std::string> answered;
  Runner runner(experiment, Runner::Where::own_thread);
  runner.post(order::Read{[&](const Experiment&) {
                std::unique_lock lock(mutex);
                open.wait(lock, [&] { return is_open; });
                return std::string("long");
              }},
              [&](Answer& answer) { answered.push_back(answer.words); });
  runner.post(drop(0.5), [&](Answer& answer) { answered.push_back(answer.actions.front().kind); });
  runner.post(order::Advance{3}, [&](Answer& answer) { answered.push_back(std::to_string(answer.steps)); });
  EXPECT_FALSE(runner.wait_until(Runner::Clock::now()));
  runner.collect();
  EXPECT_TRUE(answered.empty());
  EXPECT_EQ(runner.facts()->steps, 0);
  {
    const std::lock_guard lock(mutex);
    is_open = true;
  }
  open.notify_one();
  finish(runner);
  EXPECT_EQ(answered, (std::vector<std::string>{"long", "droplet", "3"}));
  EXPECT_EQ(runner.facts()->steps, 3);
}

TEST(Runner, WhatReplacesTheRunDoesNotWaitForItsSteps) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, tank());
  Runner runner(experiment, Runner::Where::own_thread);
  const std::vector<Order> replacing = {order::Restart{}, order::Undo{}, order::Open{[] {
                                          Start start;
                                          start.scene = tank();
                                          return start;
                                        }}};
  for (const Order& order : replacing) {
    SCOPED_TRACE(order.index());
    bool given_up = false;
    std::int64_t taken = 0;
    runner.post(drop(0.4), [](Answer& answer) { answer.check(); });
    runner.post(order::Advance{endless}, [&](Answer& answer) {
      answer.check();
      given_up = answer.given_up;
      taken = answer.steps;
    });
    runner.post(order, [](Answer& answer) { answer.check(); });
    finish(runner);
    EXPECT_TRUE(given_up);
    EXPECT_LT(taken, endless);
    // It can go on.
    const std::int64_t before = runner.facts()->steps;
    runner.post(order::Advance{2}, [](Answer& answer) { EXPECT_FALSE(answer.given_up); });
    finish(runner);
    EXPECT_EQ(runner.facts()->steps, before + 2);
  }
}

TEST(Runner, EndsWhileItComputes) {
  const auto backend = Backend::make_cpu(2);
  Experiment experiment(*backend, tank());
  {
    Runner runner(experiment, Runner::Where::own_thread);
    runner.post(order::Advance{endless}, [](Answer&) { ADD_FAILURE() << "nobody collects it"; });
  }
  experiment.advance(1);
  EXPECT_GE(experiment.simulation().steps(), 1);
}

TEST(Runner, FailuresComeBackAndTheRunStays) {
  const auto backend = Backend::make_cpu(1);
  Experiment experiment(*backend, tank());
  Runner runner(experiment, Runner::Where::own_thread);
  std::string refusal, failure;
  runner.post(order::Advance{4}, [](Answer& answer) { answer.check(); });
  runner.post(order::SetParameters{{{"damping", 1e9}}, false},
              [&](Answer& answer) { refusal = answer.refusals.at(0).second; });
  finish(runner);
  runner.post(order::Open{[]() -> Start { throw InputError("There is no such file."); }}, [&](Answer& answer) {
    try {
      answer.check();
    } catch (const InputError& error) {
      failure = error.what();
    }
  });
  finish(runner);
  EXPECT_NE(refusal.find("damping"), std::string::npos) << refusal;
  EXPECT_EQ(failure, "There is no such file.");
  EXPECT_EQ(runner.facts()->steps, 4);
}

}  // namespace
}  // namespace perturb
