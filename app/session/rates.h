// How fast frames and steps come, as means over half a second so that they can be read.
#pragma once

#include <cstdint>

namespace perturb {

// Zero where not yet known.
struct Rates {
  double frames_per_second = 0, steps_per_second = 0;
  double seconds_per_step = 0;
  bool is_bound = false;  // the step takes at most this long (steps are queued and nobody waits for them)
};

class RateCounter {
 public:
  // A frame's end, with the steps that were done since the last one; `computes`: more are under way. `queued`: steps
  // take their time on the device, bounded by the frames'; else it is measured.
  void add(double frame_seconds, std::int64_t steps, bool computes, bool queued, double seconds_per_step);
  const Rates& rates() const { return rates_; }

 private:
  Rates rates_;
  double seconds_ = 0, step_seconds_ = 0;  // of the frames and of the steps that are counted now
  std::int64_t steps_ = 0;
  int frames_ = 0;
};

}  // namespace perturb
