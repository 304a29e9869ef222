#include "app/run/kernel_trial.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/simulation/catalog.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

namespace {

// A repetition is long compared with a launch and with the resolution of the clock, and short compared with what a user
// notices.
constexpr double group_seconds = 0.015;
// Repetitions of a kernel together, and their number. A slow step is repeated only once.
constexpr double kernel_seconds = 0.25, slow_step_seconds = 0.5;
constexpr std::size_t min_groups = 3, max_groups = 15;
constexpr std::int64_t max_group_steps = 1 << 20;

}  // namespace

KernelTrial::KernelTrial(Backend& backend, const Start& start)
    : kernel_(start.kernel), run_(Run::begin(backend, start)) {
  const SimulationInfo& info = run_.simulation->info();
  pass_ = std::max(1, info.kernels[kernel_index(info, kernel_)].steps_per_pass);
  seconds_to_step(*run_.simulation, pass_);
}

bool KernelTrial::advance() {
  if (group_ == 0) {
    const double pass = std::max(seconds_to_step(*run_.simulation, pass_), 1e-9);
    const double passes =
        std::clamp(std::ceil(timing_duration(group_seconds) / pass), 1.0, static_cast<double>(max_group_steps / pass_));
    group_ = pass_ * static_cast<std::int64_t>(passes);
    return false;
  }
  const double seconds = seconds_to_step(*run_.simulation, group_);
  seconds_.push_back(seconds / static_cast<double>(group_));
  total_ += seconds;
  return seconds > slow_step_seconds || (seconds_.size() >= min_groups &&
                                         (seconds_.size() >= max_groups || total_ >= timing_duration(kernel_seconds)));
}

KernelTiming KernelTrial::timing() const {
  std::vector<double> sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  return {kernel_, sorted[0], sorted.size() > 1 ? sorted[1] / sorted[0] - 1 : 0};
}

}  // namespace perturb
