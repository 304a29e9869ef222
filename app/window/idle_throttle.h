// How long a window may rest between two frames.
#pragma once

#include <set>
#include <vector>

#include "app/session/input_event.h"

namespace perturb {

// A paused picture need not be drawn sixty times a second: that costs a laptop its battery, and a processor that draws
// by itself half of its time. Frames come at once when there is input, and some times a second for what goes by the
// clock.
class IdleThrottle {
 public:
  // Once a frame. `moves`: whether something changes by itself.
  void update(const std::vector<InputEvent>& events, bool moves);
  // Seconds that the next frame may wait for input; 0: it may not.
  double max_wait() const;

 private:
  int quiet_frames_ = 0;
  std::set<int> held_;  // keys and buttons: lists scroll and values move while one is held, without more events
};

}  // namespace perturb
