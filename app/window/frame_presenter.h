// Presents the image of the run in the window.
#pragma once

#include <cstdint>
#include <string>

#include "app/render/display/canvas.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// Presents the images of a run that is on its own thread. Usually the run finishes the steps and the image within the
// frame. If that takes longer, the window shows the previous image, and the new one when it arrives.
class FramePresenter {
 public:
  // All arguments must outlive it.
  FramePresenter(Session& session, Canvas& canvas) : session_(session), canvas_(canvas) {}

  // Requests the next steps or their image as soon as the run is idle. Returns whether there is a new image.
  bool advance(const Viewport& viewport);
  // Requests an image that shows all jobs posted so far. Once it is there, take_capture() returns true.
  void request_capture() { capture_ = requested_ + 1; }
  bool take_capture();

 private:
  bool finish();

  Session& session_;
  Canvas& canvas_;
  bool image_is_due_ = false;  // its steps were requested
  // Images by number; 0: none.
  std::int64_t requested_ = 0, shown_ = 0, capture_ = 0;
};

// Fills the area of the view outside the domain with the colour of the theme: draws over the image. The dark theme
// needs nothing, because the painters use its colour; a view with depth has no edge that is known here.
void draw_outside_domain(const Session& session, const Viewport& viewport);

// The part of the view that images and videos contain: the domain, without the bars beside it.
Viewport exported_part(const Session& session, const Viewport& viewport);

// Display properties for the panels. `backend_note`: why the preferred backend is not used.
inline DisplayInfo display_info_of(const Canvas& canvas, const Message& backend_note) {
  return {canvas.path(), backend_note + canvas.note()};
}

}  // namespace perturb
