// Rates of frames and steps, averaged over half a second so that they are readable.
#pragma once

#include <cstdint>

namespace perturb {

// Zero if not known yet.
struct Rates {
  double frames_per_second = 0, steps_per_second = 0;
  double seconds_per_step = 0;
  bool is_bound = false;  // the time per step is an upper bound (steps are queued without waiting for them)
};

class RateCounter {
 public:
  // Call at the end of a frame with the steps completed since the last one; `computes`: more are running. `queued`:
  // steps are asynchronous, so the frame time only bounds their duration; otherwise it is measured.
  void add(double frame_seconds, std::int64_t steps, bool computes, bool queued, double seconds_per_step);
  const Rates& rates() const { return rates_; }

 private:
  Rates rates_;
  double seconds_ = 0, step_seconds_ = 0;  // of the frames and of the steps counted so far
  std::int64_t steps_ = 0;
  int frames_ = 0;
};

}  // namespace perturb
