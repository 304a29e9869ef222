#include "app/session/rates.h"

namespace perturb {

void RateCounter::add(double frame_seconds, std::int64_t steps, bool computes, bool queued, double seconds_per_step) {
  seconds_ += frame_seconds, step_seconds_ += frame_seconds;
  frames_ += 1;
  steps_ += steps;
  const bool first = rates_.frames_per_second == 0;
  if (seconds_ < (first ? 0.1 : 0.5)) return;
  rates_.frames_per_second = frames_ / seconds_;
  seconds_ = 0, frames_ = 0;
  // A step that takes many frames is counted when it is done.
  if (steps_ == 0 && computes) return;
  rates_.steps_per_second = static_cast<double>(steps_) / step_seconds_;
  rates_.is_bound = queued;
  rates_.seconds_per_step = !queued ? seconds_per_step : steps_ > 0 ? step_seconds_ / static_cast<double>(steps_) : 0;
  step_seconds_ = 0, steps_ = 0;
}

}  // namespace perturb
