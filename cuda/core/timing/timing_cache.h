// Measured times of kernels, of this process and, as the program stores them in a file, of previous ones.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/timing/roofline.h"

namespace perturb {

// Time per step of a kernel.
struct KernelTiming {
  std::string kernel;           // id
  double seconds_per_step = 0;  // shortest of the repeated measurements
  double spread = 0;            // how much longer the second shortest took, relative; 0: not repeated
};

// Spread above which a measurement counts as disturbed by other programs: on an idle machine the two shortest of three
// slices differ by a few percent.
inline constexpr double max_timing_spread = 0.2;
// A kernel whose disturbed measurement is slower than the fastest by this factor is slower.
inline constexpr double certain_factor = 4;
// Whether the choice (the first entry) may be wrong: the measurement of a kernel that could be the fastest varied by
// more than it does on an idle machine.
bool is_provisional(const std::vector<KernelTiming>& timings);

// The part of a key that names the backend: its device and, on the CPU, its threads.
std::string measured_device(const Backend& backend);

// Times of two kinds, and the peak rates of devices. Safe to use from several threads.
class TimingCache {
 public:
  using Entries = std::map<std::string, std::vector<KernelTiming>>;
  using Rooflines = std::map<std::string, Roofline>;  // by measured_device()

  static TimingCache& of_process();

  // ---- the times that "auto" uses (AutoKernel): one entry for each device, simulation and kind of work, the chosen
  // kernel first. Provisional ones are used for a while and then measured again: after half a minute, at doubled
  // intervals of at most ten minutes if the machine stays busy, and by the next process at once.

  std::optional<std::vector<KernelTiming>> find(const std::string& key) const;
  // `now`: seconds of the caller's clock. Of two provisional measurements the one with the smaller spread is kept.
  void add(const std::string& key, std::vector<KernelTiming> timings, double now = 0);
  // Time at which the entry is to be measured again, on the clock of add(); infinite unless it is provisional.
  double valid_until(const std::string& key) const;
  Entries entries() const;
  // Adds the entries that are not measured yet, except those of forgotten simulations.
  void merge(const Entries& entries);
  // Whether an entry of this simulation exists.
  bool contains(const std::string& simulation) const;
  // Removes the entries of this simulation: its kernels are measured again, in current runs too.
  void forget(const std::string& simulation);
  // Changes with every call of forget().
  int generation() const { return generation_; }

  // ---- the tables of kernels: all kernels of a scene on a device, measured on request. No choice depends on them.

  // Empty: not measured.
  std::vector<KernelTiming> table(const std::string& key) const;
  // Replaces an earlier time of the same kernel.
  void set_in_table(const std::string& key, const KernelTiming& timing);
  // Also the peak rates of this device: they may have been measured while the machine was busy.
  void forget_table(const std::string& key, const std::string& device);
  std::optional<Roofline> roofline(const std::string& device) const;
  void set_roofline(const std::string& device, const Roofline& roofline);
  Entries tables() const;
  Rooflines rooflines() const;
  // Adds what is not measured yet.
  void merge_tables(const Entries& tables, const Rooflines& rooflines);

  // Whether a measurement was added since the last call.
  bool take_changed();
  void clear();

 private:
  struct Retry {
    double at = 0, interval = 0;  // seconds
  };

  mutable std::mutex mutex_;
  Entries entries_;
  std::map<std::string, Retry> retries_;  // of provisional entries that this process has measured
  std::set<std::string> forgotten_;       // simulations
  std::atomic<int> generation_ = 0;
  Entries tables_;
  Rooflines rooflines_;
  bool changed_ = false;
};

}  // namespace perturb
