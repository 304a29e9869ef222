// Measures where the time of the window's frames goes, while the user wants it.
#pragma once

#include <optional>

#include "app/session/frame_times.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

class FrameTimeController {
 public:
  bool is_measuring() const { return recording_.has_value(); }
  // Keeps what was measured when it ends.
  void measure(bool on);
  // Call at the end of a frame, on the window's thread.
  void end_frame();
  const FrameTimes& times() const { return times_; }

 private:
  std::optional<Timeline::Recording> recording_;
  Timeline::Reader reader_;
  FrameTimes times_;
};

}  // namespace perturb
