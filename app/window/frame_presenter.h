// The window's picture of a run that lives on a thread of its own.
#pragma once

#include <cstdint>

#include "app/render/display/canvas.h"
#include "app/session/session.h"

namespace perturb {

// Mostly the run is done with a frame's steps and its picture within the frame. Where that takes longer, the window
// goes on with the picture of before, and takes the new one when it comes.
class FramePresenter {
 public:
  // All outlive it.
  FramePresenter(Session& session, Canvas& canvas, Backend& backend)
      : session_(session), canvas_(canvas), backend_(backend) {}

  // Asks for what comes next, the steps or their picture, as soon as the run rests. Whether there is a new picture.
  bool advance(const Viewport& viewport);
  // A picture is wished for that shows all that was asked of the run up to now. Once it is there, take_wish() says so.
  void request_capture() { capture_ = requested_ + 1; }
  bool take_capture();

 private:
  bool finish();

  Session& session_;
  Canvas& canvas_;
  Backend& backend_;
  bool image_is_due_ = false;  // its steps were asked for
  // Pictures by number; 0: none.
  std::int64_t requested_ = 0, shown_ = 0, capture_ = 0;
};

}  // namespace perturb
