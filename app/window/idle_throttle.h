// Limits the frame rate of an idle window.
#pragma once

#include <set>
#include <vector>

#include "app/session/input_event.h"

namespace perturb {

// A paused view need not be drawn 60 times per second: that drains the battery of a laptop, and takes half of the time
// of a processor that renders in software. Frames are drawn at once on input, and a few times per second for content
// that depends on the time.
class IdleThrottle {
 public:
  // Call once per frame. `moves`: whether the content changes without input.
  void update(const std::vector<InputEvent>& events, bool moves);
  // Seconds that the next frame may wait for input; 0: draw at once.
  double max_wait() const;

 private:
  int quiet_frames_ = 0;
  std::set<int> held_;  // keys and buttons: while one is held, lists scroll and values change without further events
};

}  // namespace perturb
