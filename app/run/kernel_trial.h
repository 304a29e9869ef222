// Times the steps of a scene with one kernel, in parts of a few hundredths of a second.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "cuda/core/timing/kernel_choice.h"

namespace perturb {

class KernelTrial {
 public:
  // Begins a run of its own, with the kernel of `start`, and takes the first steps: they load the kernel and warm the
  // caches. The backend must outlive it. Throws Error, and Stopped under a StopScope.
  KernelTrial(Backend& backend, const Start& start);

  // Measures the next group of steps. Returns whether the measurement is complete. Throws in the same way.
  bool advance();

  const std::string& kernel() const { return kernel_; }
  Simulation& simulation() const { return *run_.simulation; }
  // Once it is complete.
  KernelTiming timing() const;

 private:
  std::string kernel_;
  Run run_;
  int pass_ = 1;            // steps per pass over memory
  std::int64_t group_ = 0;  // steps per repetition; 0: not known yet
  std::vector<double> seconds_;
  double total_ = 0;
};

}  // namespace perturb
