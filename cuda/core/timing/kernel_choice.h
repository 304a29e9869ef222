// The kernel choice `auto`: the fastest of several bit-identical kernels, found by timing steps of the run itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/timing/timing_cache.h"

namespace perturb {

// Divides a run's steps among the candidates while the fastest kernel is unknown: they run alternately in timed slices.
// All candidates are bit-identical, so no step is lost and no result depends on the clock. This happens once per kind
// of work; after that, and in every later run on this device, the cache gives the answer for the cost of a map lookup.
//
//   auto_kernel_.run(
//       kernel_, count, [this] { return work(); },
//       [this](std::int64_t steps, std::size_t kernel) { take_steps(steps, kernel); });
class AutoKernel {
 public:
  using Clock = std::function<double()>;  // seconds

  // The candidates: a simulation's kernels, or its methods for a part of a step.
  struct Choices {
    std::string simulation;
    std::vector<std::string> names;
    // Whether some take several steps in one pass: the number of steps per call of step then matters.
    bool passes = true;
  };

  // `clock`: the steady clock by default; tests can pass their own. `cache`: that of the process by default.
  AutoKernel(Backend& backend, Choices choices, Clock clock = {}, TimingCache* cache = nullptr);
  // The candidates are the simulation's kernels.
  AutoKernel(Backend& backend, const SimulationInfo& info, Clock clock = {}, TimingCache* cache = nullptr);

  // The next work. `kind`: what the speed depends on besides the device, such as "fp32 512x256 walls". `candidates`: at
  // least one, in the order of preference at equal speed; they must outlive the slice. `steps`, at least 1: the kind
  // may change after this many.
  struct Work {
    std::string kind;
    std::span<const std::size_t> candidates;
    std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  };
  // Takes `count` steps with one of the choices, by name, or with "auto" as run_timed does.
  template <class Describe, class Take>
  void run(const std::string& kernel, std::int64_t count, const Describe& describe, const Take& take) {
    if (kernel == "auto")
      run_timed(count, describe, take);
    else
      take(count, index_of(kernel));
  }
  // Takes `count` steps in slices: `describe()` returns the Work before each, and `take(steps, choice)` takes its
  // steps.
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
  // A single slice: the kernel for the next steps, and how many of the `wanted` (>= 1). `kind` and `candidates` as in
  // Work.
  TimedSlice next(const std::string& kind, std::span<const std::size_t> candidates, std::int64_t wanted);
  // Called after the slice's steps were queued. Waits for them only if the slice is timed.
  void finish_slice(const TimedSlice& slice);

  // The best kernel known now for this work, as one call.
  std::size_t best(const Work& work) const;
  // "Automatic: vectorised, 72 µs per step here; temporal takes 230 µs." for the work of the last slice, empty before.
  // Says so if the timings are provisional.
  Message text() const;

 private:
  // A measurement in progress.
  struct Trial {
    std::vector<std::size_t> candidates;
    std::vector<double> seconds;  // per candidate: shortest time per step of its counted slices
    std::vector<double> second;   // per candidate: second shortest
    std::vector<double> latest;   // per candidate: time per step of its last slice, counted or not
    std::vector<int> slices;      // per candidate: number of slices so far
    std::size_t position = 0;     // index of the current candidate
  };
  struct Choice {
    std::size_t kernel = 0;  // index into the choices' names
    double valid_until = 0;  // on clock_
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
  std::map<std::string, Choice> chosen_;  // a copy from the cache, looked up at every call of step
  int generation_ = 0;                    // of the cache, to which the maps belong
  std::string key_;                       // of the current slice
  double start_seconds_ = 0;
};

}  // namespace perturb
