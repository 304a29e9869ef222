// What `auto` takes: the fastest of several kernels that give the same bits, found by timing steps of the run itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/backend.h"
#include "cuda/core/simulation.h"

namespace perturb {

// Seconds that a step took, by the kernel's id.
struct KernelTiming {
  std::string kernel;
  double seconds_per_step = 0;
};

// What was measured in this process and, as the program keeps it in a file, in those before: one entry for each device,
// simulation and kind of work, the chosen kernel first. Safe to use from several threads.
class KernelBook {
 public:
  using Entries = std::map<std::string, std::vector<KernelTiming>>;

  static KernelBook& of_process();

  std::optional<std::vector<KernelTiming>> find(const std::string& key) const;
  void add(const std::string& key, std::vector<KernelTiming> timings);
  Entries entries() const;
  // Adds what is not measured yet.
  void merge(const Entries& entries);
  // Whether something was measured since the last call.
  bool take_news();
  void clear();

 private:
  mutable std::mutex mutex_;
  Entries entries_;
  bool news_ = false;
};

// Shares out a run's steps while it is not known which kernel is the fastest: candidates take turns, and the turns are timed.
// As all candidates give the same bits, no step is lost and no result depends on the clock. Once per kind of work; after that
// (and in every later run on this device) the answer comes from the book and costs a look into a map.
//
//   for (std::int64_t left = count; left > 0;) {
//     const AutoKernel::Turn turn = auto_kernel_.next(kind, candidates, left);
//     ... take turn.steps with turn.kernel ...
//     auto_kernel_.done(turn);
//     left -= turn.steps;
//   }
class AutoKernel {
 public:
  using Clock = std::function<double()>;  // seconds

  // `clock`: the steady one, unless a test brings its own. `book`: the process's.
  AutoKernel(Backend& backend, const SimulationInfo& info, Clock clock = {}, KernelBook* book = nullptr);

  struct Turn {
    std::size_t kernel = 0;  // index into info.kernels
    std::int64_t steps = 0;
    bool timed = false;
  };
  // Which kernel takes the next steps, and how many of the `wanted` (>= 1). `kind`: what the speed depends on besides the
  // device, such as "fp32 512x256 walls". `candidates`, at least one, in the order of preference where they are equally fast.
  Turn next(const std::string& kind, std::span<const std::size_t> candidates, std::int64_t wanted);
  // After the turn's steps were queued. Waits for them only while turns are timed.
  void done(const Turn& turn);

  // The kernel for calls of so many steps of this kind as far as it is known now.
  std::size_t best(const std::string& kind, std::span<const std::size_t> candidates,
                   std::int64_t wanted = 1 << 20) const;
  // "Automatic: vectorised, 72 µs a step here; temporal takes 230 µs." for the work of the last turn; empty before it.
  std::string words() const;

 private:
  // A measurement under way.
  struct Trial {
    std::vector<std::size_t> candidates;
    std::vector<double> seconds;  // by candidate: the least of its turns, per step
    std::vector<int> turns;       // by candidate: taken so far
    std::size_t place = 0;        // whose turn it is
  };
  std::string key(const std::string& kind, std::int64_t wanted) const;
  bool out_of_the_race(const Trial& trial, std::size_t candidate) const;
  void finish(const std::string& key, const Trial& trial);
  std::optional<std::size_t> known(const std::string& key, std::span<const std::size_t> candidates) const;

  Backend& backend_;
  const SimulationInfo& info_;
  Clock clock_;
  KernelBook& book_;
  std::map<std::string, Trial> trials_;
  std::map<std::string, std::size_t> chosen_;  // a copy of the book's words as indices: looked up at every call of step
  std::string key_;                            // of the turn under way
  double began_ = 0;
};

}  // namespace perturb
