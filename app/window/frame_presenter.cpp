#include "app/window/frame_presenter.h"

namespace perturb {

bool FramePresenter::advance(const Viewport& viewport) {
  // A late image is shown before its memory is mapped again.
  const bool is_late = finish();
  if (session_.is_idle() && !image_is_due_) {
    session_.advance();  // queued on CUDA
    session_.observe(false);
    image_is_due_ = true;
  }
  if (is_late) return true;
  if (session_.is_idle() && image_is_due_) {
    const Canvas::MappedImage image =
        canvas_.map(backend_, session_.view().resolved().colormap, viewport.width, viewport.height);
    session_.paint(image.pixels, image.table);
    ++requested_;
    image_is_due_ = false;
  }
  return finish();
}

bool FramePresenter::finish() {
  if (!canvas_.is_mapped() || !session_.is_idle()) return false;
  canvas_.unmap();
  shown_ = requested_;
  return true;
}

bool FramePresenter::take_capture() {
  if (capture_ == 0 || capture_ > shown_) return false;
  capture_ = 0;
  return true;
}

}  // namespace perturb
