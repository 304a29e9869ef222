#include "app/session/frame_time_controller.h"

namespace perturb {

void FrameTimeController::measure(bool on) {
  if (on == is_measuring()) return;
  if (!on) {
    end_frame();  // measurements since the last frame
    return recording_.reset();
  }
  recording_.emplace();
  times_.clear();
  reader_.read();  // of a recording that has begun before: for a trace
}

void FrameTimeController::end_frame() {
  if (is_measuring()) times_.add(reader_.read(), Timeline::this_thread());
}

}  // namespace perturb
