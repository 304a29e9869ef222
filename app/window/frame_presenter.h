// Presents the images of a run that is on its own thread.
#pragma once

#include <cstdint>

#include "app/render/display/canvas.h"
#include "app/session/session.h"

namespace perturb {

// Usually the run finishes the steps and the image within the frame. If that takes longer, the window shows the
// previous image, and the new one when it arrives.
class FramePresenter {
 public:
  // All arguments must outlive it.
  FramePresenter(Session& session, Canvas& canvas, Backend& backend)
      : session_(session), canvas_(canvas), backend_(backend) {}

  // Requests the next steps or their image as soon as the run is idle. Returns whether there is a new image.
  bool advance(const Viewport& viewport);
  // Requests an image that shows all jobs posted so far. Once it is there, take_capture() returns true.
  void request_capture() { capture_ = requested_ + 1; }
  bool take_capture();

 private:
  bool finish();

  Session& session_;
  Canvas& canvas_;
  Backend& backend_;
  bool image_is_due_ = false;  // its steps were requested
  // Images by number; 0: none.
  std::int64_t requested_ = 0, shown_ = 0, capture_ = 0;
};

}  // namespace perturb
