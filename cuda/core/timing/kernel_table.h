// Times of all kernels of a scene and the peak rates of the device, as measured on request for the table of kernels. No
// choice depends on them: the timings that "auto" uses are in the TimingCache.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/timing/kernel_choice.h"
#include "cuda/core/timing/roofline.h"

namespace perturb {

// The part of a key that names the backend: its device and, on the CPU, its threads.
std::string measured_device(const Backend& backend);

// The measurements of this process and, as the program stores them in a file, of previous ones. Safe to use from
// several threads.
class KernelTable {
 public:
  using Timings = std::map<std::string, std::vector<KernelTiming>>;  // by device and scene
  using Rooflines = std::map<std::string, Roofline>;                 // by measured_device()

  static KernelTable& of_process();

  std::vector<KernelTiming> find(const std::string& key) const;
  // Replaces an earlier time of the same kernel.
  void set(const std::string& key, const KernelTiming& timing);
  // Also the peak rates of this device: they may have been measured while the machine was busy.
  void forget(const std::string& key, const std::string& device);
  std::optional<Roofline> roofline(const std::string& device) const;
  void set_roofline(const std::string& device, const Roofline& roofline);

  Timings timings() const;
  Rooflines rooflines() const;
  // Adds what is not measured yet.
  void merge(const Timings& timings, const Rooflines& rooflines);
  // Whether a measurement was added since the last call.
  bool take_changed();
  void clear();

 private:
  mutable std::mutex mutex_;
  Timings timings_;
  Rooflines rooflines_;
  bool changed_ = false;
};

}  // namespace perturb
