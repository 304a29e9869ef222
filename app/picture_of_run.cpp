#include "app/picture_of_run.h"

namespace perturb {

bool PictureOfRun::go_on(const Viewport& viewport) {
  // One that comes late is shown before its memory is lent again.
  const bool is_late = finish();
  if (session_.is_idle() && !is_due_) {
    session_.advance();  // queued on CUDA
    session_.observe(false);
    is_due_ = true;
  }
  if (is_late) return true;
  if (session_.is_idle() && is_due_) {
    const Canvas::Lent lent =
        canvas_.lend(backend_, session_.view().resolved().colormap, viewport.width, viewport.height);
    session_.paint(lent.pixels, lent.table);
    ++asked_;
    is_due_ = false;
  }
  return finish();
}

bool PictureOfRun::finish() {
  if (!canvas_.is_lent() || !session_.is_idle()) return false;
  canvas_.take_back();
  shown_ = asked_;
  return true;
}

bool PictureOfRun::take_wish() {
  if (wished_ == 0 || wished_ > shown_) return false;
  wished_ = 0;
  return true;
}

}  // namespace perturb
