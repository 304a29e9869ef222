// What `auto` takes: the fastest of several kernels that give the same bits, found by timing steps of the run itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Seconds that a step took, by the kernel's id.
struct KernelTiming {
  std::string kernel;
  double seconds_per_step = 0;
};

// What was measured in this process and, as the program keeps it in a file, in those before: one entry for each device,
// simulation and kind of work, the chosen kernel first. Safe to use from several threads.
class TimingCache {
 public:
  using Entries = std::map<std::string, std::vector<KernelTiming>>;

  static TimingCache& of_process();

  std::optional<std::vector<KernelTiming>> find(const std::string& key) const;
  void add(const std::string& key, std::vector<KernelTiming> timings);
  Entries entries() const;
  // Adds what is not measured yet.
  void merge(const Entries& entries);
  // Whether something was measured since the last call.
  bool take_changed();
  void clear();

 private:
  mutable std::mutex mutex_;
  Entries entries_;
  bool changed_ = false;
};

// Shares out a run's steps while it is not known which kernel is the fastest: candidates take turns, and the turns are
// timed. As all candidates give the same bits, no step is lost and no result depends on the clock. Once per kind of
// work; after that (and in every later run on this device) the answer comes from the book and costs a look into a map.
//
//   auto_kernel_.run(
//       kernel_, count, [this] { return work(); },
//       [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
class AutoKernel {
 public:
  using Clock = std::function<double()>;  // seconds

  // What there is to choose from: a simulation's kernels, or its ways to do a part of a step.
  struct Choices {
    std::string simulation;
    std::vector<std::string> names;
    // Whether some take several steps in one pass: then it matters how many steps a call of step asks for.
    bool passes = true;
  };

  // `clock`: the steady one, unless a test brings its own. `book`: the process's.
  AutoKernel(Backend& backend, Choices choices, Clock clock = {}, TimingCache* cache = nullptr);
  // Of the simulation's kernels.
  AutoKernel(Backend& backend, const SimulationInfo& info, Clock clock = {}, TimingCache* cache = nullptr);

  // What lies ahead. `kind`: what the speed depends on besides the device, such as "fp32 512x256 walls". `candidates`,
  // at least one, in the order of preference where they are equally fast; they outlive the turn. `steps`, at least 1:
  // after so many it may be another kind.
  struct Work {
    std::string kind;
    std::span<const std::size_t> candidates;
    std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  };
  // Takes `count` steps with one of the choices, by its name, or with "auto" as run_timed does.
  template <class Describe, class Take>
  void run(const std::string& kernel, std::int64_t count, const Describe& describe, const Take& take) {
    if (kernel == "auto")
      run_timed(count, describe, take);
    else
      take(count, index_of(kernel));
  }
  // Takes `count` steps in turns: `describe()` tells the Work before each, and `take(steps, choice)` takes its steps.
  template <class Describe, class Take>
  void run_timed(std::int64_t count, const Describe& describe, const Take& take) {
    while (count > 0) {
      const Work work = describe();
      const TimedSlice slice = next(work.kind, work.candidates, std::min(count, work.steps));
      take(slice.steps, slice.kernel);
      finish_slice(slice);
      count -= slice.steps;
    }
  }

  struct TimedSlice {
    std::size_t kernel = 0;  // index into the choices' names
    std::int64_t steps = 0;
    bool timed = false;
  };
  // One turn by hand: who takes the next steps, and how many of the `wanted` (>= 1). `kind` and
  // `candidates` as in Work.
  TimedSlice next(const std::string& kind, std::span<const std::size_t> candidates, std::int64_t wanted);
  // After the turn's steps were queued. Waits for them only while turns are timed.
  void finish_slice(const TimedSlice& slice);

  // The kernel for this work, all of it in one call, as far as it is known now.
  std::size_t best(const Work& work) const;
  // "Automatic: vectorised, 72 µs a step here; temporal takes 230 µs." for the work of the last turn; empty before it.
  std::string text() const;

 private:
  // A measurement under way.
  struct Trial {
    std::vector<std::size_t> candidates;
    std::vector<double> seconds;  // by candidate: the least of its turns, per step
    std::vector<double> latest;   // by candidate: its last turn's, counted or not
    std::vector<int> slices;      // by candidate: taken so far
    std::size_t position = 0;     // whose turn it is
  };
  std::size_t index_of(const std::string& name) const;
  std::string key(const std::string& kind, std::int64_t wanted) const;
  std::int64_t max_steps(const Trial& trial) const;
  bool is_eliminated(const Trial& trial, std::size_t candidate) const;
  void finish(const std::string& key, const Trial& trial);
  std::optional<std::size_t> known(const std::string& key, std::span<const std::size_t> candidates) const;

  Backend& backend_;
  Choices choices_;
  Clock clock_;
  TimingCache& cache_;
  std::map<std::string, Trial> trials_;
  std::map<std::string, std::size_t> chosen_;  // a copy of the book's words as indices: looked up at every call of step
  std::string key_;                            // of the turn under way
  double start_seconds_ = 0;
};

}  // namespace perturb
