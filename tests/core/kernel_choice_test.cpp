// `auto` chooses the kernel that was measured to be fastest, whatever its name.
#include "cuda/core/timing/kernel_choice.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <gtest/gtest.h>

namespace perturb {
namespace {

// A fake machine on which each kernel takes a given time; its clock advances with the steps.
struct Machine {
  std::unique_ptr<Backend> backend = Backend::make_cpu(1);
  SimulationInfo info;
  TimingCache cache;
  double now = 0;
  std::vector<double> seconds_per_step;
  std::function<double(std::size_t, int)> slowdown;  // by other programs, of a kernel's turn; null: none
  std::vector<std::int64_t> steps;                   // taken with each kernel
  std::vector<int> turns;

  explicit Machine(std::vector<double> seconds) : seconds_per_step(std::move(seconds)) {
    info.id = "test";
    for (std::size_t k = 0; k < seconds_per_step.size(); ++k) {
      KernelVariant kernel;
      kernel.id = std::string(1, static_cast<char>('a' + k));
      info.kernels.push_back(kernel);
    }
    steps.assign(seconds_per_step.size(), 0);
    turns.assign(seconds_per_step.size(), 0);
  }
  AutoKernel choice() {
    return {*backend, info, [this] { return now; }, &cache};
  }
  void run(AutoKernel& kernel, const std::string& kind, const std::vector<std::size_t>& candidates,
           std::int64_t count) {
    kernel.run_timed(
        count,
        [&] {
          return AutoKernel::Work{kind, candidates};
        },
        [&](std::int64_t taken, std::size_t k) {
          ASSERT_GE(taken, 1);
          now += seconds_per_step[k] * static_cast<double>(taken) * (slowdown ? slowdown(k, turns[k]) : 1);
          // The first launch of a kernel loads it.
          if (turns[k]++ == 0) now += 1;
          steps[k] += taken;
        });
  }
};

TEST(KernelChoice, TakesFastestRegardlessOfOrder) {
  for (const std::vector<double>& seconds :
       {std::vector<double>{3e-6, 1e-6, 2e-6}, {1e-6, 2e-6, 3e-6}, {230e-6, 300e-6, 72e-6}}) {
    Machine machine(seconds);
    AutoKernel kernel = machine.choice();
    machine.run(kernel, "64x64", {0, 1, 2}, 100000);
    const auto fastest = static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 3>{0, 1, 2}}), fastest);
    EXPECT_GT(machine.steps[fastest], 99000);
    EXPECT_EQ(machine.steps[0] + machine.steps[1] + machine.steps[2], 100000);
    EXPECT_NE(kernel.text().english().find("Automatic: " + machine.info.kernels[fastest].id + ", "), std::string::npos)
        << kernel.text();
  }
}

TEST(KernelChoice, TakesFirstOfEquallyFast) {
  Machine machine({1.00e-6, 0.99e-6});
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 2>{0, 1}}), 0U);
}

TEST(KernelChoice, IsMeasuredOnceForEachKindOfWork) {
  Machine machine({2e-6, 1e-6});
  AutoKernel first = machine.choice();
  machine.run(first, "small", {0, 1}, 10000);
  const std::int64_t slow = machine.steps[0];
  EXPECT_GT(slow, 0);
  // Another run of the same kind uses the cache.
  AutoKernel second = machine.choice();
  machine.run(second, "small", {0, 1}, 10000);
  EXPECT_EQ(machine.steps[0], slow);
  // Another kind is measured separately, and so is a run that takes single steps.
  machine.seconds_per_step = {1e-6, 2e-6};
  machine.run(second, "large", {0, 1}, 10000);
  EXPECT_EQ(second.best({"large", std::array<std::size_t, 2>{0, 1}}), 0U);
  EXPECT_EQ(second.best({"small", std::array<std::size_t, 2>{0, 1}}), 1U);
  for (int i = 0; i < 100; ++i) machine.run(second, "small", {0, 1}, 1);
  EXPECT_EQ(machine.cache.entries().size(), 3U);
}

TEST(KernelChoice, ASlowCandidateCostsFewSteps) {
  Machine machine({1e-3, 30e-3, 1.1e-3});
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {0, 1, 2}, 10000);
  EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 3>{0, 1, 2}}), 0U);
  EXPECT_LE(machine.turns[1], 2);
  EXPECT_LE(machine.steps[1], 96);
}

TEST(KernelChoice, SingleCandidateIsNotTimed) {
  Machine machine({1e-6, 1e-6});
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {1}, 1000);
  EXPECT_EQ(machine.turns[1], 1);
  EXPECT_EQ(machine.steps[1], 1000);
  EXPECT_TRUE(machine.cache.entries().empty());
}

TEST(KernelChoice, TimesAgainWhenCacheHasOtherKernels) {
  Machine machine({2e-6, 1e-6});
  {
    AutoKernel kernel = machine.choice();
    machine.run(kernel, "64x64", {0, 1}, 10000);
  }
  TimingCache::Entries entries = machine.cache.entries();
  ASSERT_EQ(entries.size(), 1U);
  entries.begin()->second = {{"gone", 1e-9}};
  machine.cache.clear();
  machine.cache.merge(entries);
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 2>{0, 1}}), 1U);
}

TEST(KernelChoice, NamedKernelTakesAllSteps) {
  Machine machine({2e-6, 1e-6});
  AutoKernel kernel = machine.choice();
  std::int64_t steps = 0;
  kernel.run(
      machine.info.kernels[0].id, 1000,
      []() -> AutoKernel::Work {
        ADD_FAILURE() << "nothing is to be chosen";
        return {};
      },
      [&](std::int64_t taken, std::size_t k) {
        EXPECT_EQ(k, 0U);
        steps += taken;
      });
  EXPECT_EQ(steps, 1000);
  EXPECT_TRUE(machine.cache.entries().empty());
}

// The faster kernel is slowed down, by a factor that varies from turn to turn.
TEST(KernelChoice, RepeatsDisturbedMeasurement) {
  Machine machine({2e-6, 1e-6});
  machine.slowdown = [](std::size_t k, int turn) { return k == 1 ? 2.5 + turn % 3 : 1.0; };
  AutoKernel kernel = machine.choice();
  const std::array<std::size_t, 2> both{0, 1};
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", both}), 0U) << "used for the time being";
  EXPECT_TRUE(is_provisional(machine.cache.entries().begin()->second));
  EXPECT_NE(kernel.text().english().find("Provisional"), std::string::npos) << kernel.text();
  machine.slowdown = nullptr;
  const int turns = machine.turns[1];
  machine.now += 20;
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(machine.turns[1], turns) << "too early";
  machine.now += 20;
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", both}), 1U);
  EXPECT_FALSE(is_provisional(machine.cache.entries().begin()->second));
  EXPECT_EQ(kernel.text().english().find("Provisional"), std::string::npos) << kernel.text();
  const int final_turns = machine.turns[0];
  machine.now += 10000;
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(machine.turns[0], final_turns) << "measured for good";
}

// After 30, 60, 120, 240 and 480 s, then every 600 s: within an hour of steps every 10 s ten measurements, the first
// included.
TEST(KernelChoice, RepeatsAtGrowingIntervalsWhileDisturbed) {
  Machine machine({2e-6, 1e-6});
  machine.slowdown = [](std::size_t k, int turn) { return k == 1 ? 2.5 + turn % 3 : 1.0; };
  AutoKernel kernel = machine.choice();
  int measurements = 0;
  for (double second = 0; second < 3600; second += 10) {
    machine.now = std::max(machine.now, second);
    const int turns = machine.turns[1];
    machine.run(kernel, "64x64", {0, 1}, 10000);
    if (machine.turns[1] > turns) ++measurements;
  }
  EXPECT_EQ(measurements, 10);
}

TEST(KernelChoice, NextProcessRepeatsDisturbedMeasurementAtOnce) {
  Machine machine({2e-6, 1e-6});
  machine.slowdown = [](std::size_t k, int turn) { return k == 1 ? 2.5 + turn % 3 : 1.0; };
  {
    AutoKernel kernel = machine.choice();
    machine.run(kernel, "64x64", {0, 1}, 10000);
  }
  machine.slowdown = nullptr;
  const TimingCache::Entries entries = machine.cache.entries();
  machine.cache.clear();
  machine.cache.merge(entries);
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 2>{0, 1}}), 1U);
}

// One of three slices may be disturbed: the two shortest decide.
TEST(KernelChoice, SingleDisturbanceDoesNotMatter) {
  Machine machine({2e-6, 1e-6});
  machine.slowdown = [](std::size_t, int turn) { return turn == 2 ? 5.0 : 1.0; };
  AutoKernel kernel = machine.choice();
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", std::array<std::size_t, 2>{0, 1}}), 1U);
  EXPECT_FALSE(is_provisional(machine.cache.entries().begin()->second));
}

TEST(KernelChoice, ForgottenTimingsAreMeasuredAgainInCurrentRun) {
  Machine machine({2e-6, 1e-6});
  AutoKernel kernel = machine.choice();
  const std::array<std::size_t, 2> both{0, 1};
  machine.run(kernel, "64x64", {0, 1}, 10000);
  const TimingCache::Entries earlier = machine.cache.entries();
  EXPECT_TRUE(machine.cache.contains("test"));
  machine.seconds_per_step = {1e-6, 2e-6};
  machine.cache.forget("other");
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", both}), 1U) << "the timings of another simulation were forgotten";
  machine.cache.forget("test");
  EXPECT_FALSE(machine.cache.contains("test"));
  machine.cache.merge(earlier);
  EXPECT_FALSE(machine.cache.contains("test")) << "a file must not bring them back";
  machine.run(kernel, "64x64", {0, 1}, 10000);
  EXPECT_EQ(kernel.best({"64x64", both}), 0U);
}

// Methods for a part of a step, none of which takes several steps at once.
struct Ways : Machine {
  using Machine::Machine;
  AutoKernel choice() {
    AutoKernel::Choices choices{info.id, {}, false};
    for (const KernelVariant& kernel : info.kernels) choices.names.push_back(kernel.id);
    return {*backend, choices, [this] { return now; }, &cache};
  }
  void run(AutoKernel& kernel, const std::vector<std::size_t>& candidates, std::int64_t count, std::int64_t most) {
    kernel.run_timed(
        count,
        [&] {
          return AutoKernel::Work{"gas", candidates, most};
        },
        [&](std::int64_t taken, std::size_t way) {
          EXPECT_GE(taken, 1);
          EXPECT_LE(taken, most);
          now += seconds_per_step[way] * static_cast<double>(taken);
          steps[way] += taken;
          ++turns[way];
        });
  }
};

TEST(KernelChoice, StepCountDoesNotMatterWithoutPasses) {
  Ways ways({3e-6, 1e-6});
  AutoKernel kernel = ways.choice();
  for (int i = 0; i < 20; ++i) ways.run(kernel, {0, 1}, 1, 64);
  ways.run(kernel, {0, 1}, 1000, 64);
  EXPECT_EQ(ways.cache.entries().size(), 1U);
  EXPECT_EQ(ways.steps[0] + ways.steps[1], 1020);
  EXPECT_GT(ways.steps[1], 1000);
}

TEST(KernelChoice, SlowCandidateInLargeSceneCostsTwoSteps) {
  Ways ways({0.1, 0.8});
  AutoKernel kernel = ways.choice();
  ways.run(kernel, {1, 0}, 100, 64);
  EXPECT_EQ(ways.steps[1], 2);
  EXPECT_EQ(ways.steps[0], 98);
}

// A step may change the kind of the following work.
TEST(KernelChoice, EverySliceUsesCurrentKindOfWork) {
  Machine machine({2e-6, 1e-6});
  AutoKernel kernel = machine.choice();
  const std::vector<std::size_t> both{0, 1};
  std::int64_t taken = 0;
  std::map<std::string, std::int64_t> steps;
  std::string kind;
  kernel.run_timed(
      1000,
      [&] {
        kind = taken < 500 ? "before" : "after";
        return AutoKernel::Work{kind, both, taken < 500 ? 500 - taken : 1000};
      },
      [&](std::int64_t count, std::size_t k) {
        machine.now += machine.seconds_per_step[k] * static_cast<double>(count);
        taken += count;
        steps[kind] += count;
      });
  EXPECT_EQ(taken, 1000);
  EXPECT_EQ(steps["before"], 500);
  EXPECT_EQ(steps["after"], 500);
}

}  // namespace
}  // namespace perturb
