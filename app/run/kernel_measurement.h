// Measures the times of all kernels of a run, and the peak rates of its backend, without changing the run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/run/kernel_trial.h"
#include "cuda/core/timing/roofline.h"
#include "cuda/core/timing/timing_cache.h"

namespace perturb {

// Key (TimingCache::table) of the kernels of this scene: size and parameters determine the work of a step.
std::string kernel_table_key(const Backend& backend, const Scene& scene);

// A kernel that cannot be measured here, and why.
struct UnmeasuredKernel {
  std::string kernel;  // id
  Message reason;
};

// Takes steps of a copy of the run with one kernel after the other, each from the same state. The work is divided into
// parts of a few hundredths of a second, so that the run can continue between them. The results are in the TimingCache
// of the process, where those of earlier measurements remain: only what is missing is measured.
class KernelMeasurement {
 public:
  // The backend must outlive it. Throws Error if there is no memory for a copy of the run.
  explicit KernelMeasurement(Experiment& experiment);
  ~KernelMeasurement();
  // Whether it measures the current work: other parameters or another size need a new copy.
  bool matches(const Experiment& experiment) const;

  // Measures the next part; at least one group of steps. Returns whether the measurement is complete. Throws Stopped
  // under a StopScope; the kernel of this part then counts as one that cannot be measured. Throws Error if memory runs
  // out.
  bool advance();

  // Subject of the measurement: the id of a kernel, or empty for the peak rates.
  std::string current() const { return roofline_ ? std::string() : trial_ ? trial_->kernel() : std::string(); }
  // How many kernels are still to be measured, with the current one.
  std::size_t remaining() const { return missing_.size(); }
  const std::vector<UnmeasuredKernel>& unmeasured() const { return unmeasured_; }

 private:
  Backend& backend_;
  Start start_;  // the copied state
  std::string key_;
  std::unique_ptr<RooflineMeasurement> roofline_;
  std::vector<std::string> missing_;  // ids, the current one first
  std::optional<KernelTrial> trial_;
  std::vector<UnmeasuredKernel> unmeasured_;
};

}  // namespace perturb
