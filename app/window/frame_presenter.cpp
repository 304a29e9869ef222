#include "app/window/frame_presenter.h"

#include "app/render/display/screen_quad.h"
#include "app/ui/widgets/palette.h"

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
        canvas_.map(session_.backend(), session_.view().resolved().colormap, viewport.width, viewport.height);
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

namespace {

// Whether the domain has edges on the image that are known here: not in a view with depth, nor in a race.
bool has_flat_domain(const Session& session) {
  return !session.info().orbits && !session.view().quantity().has_depth && session.run().scene->lanes.empty();
}

Viewport domain_part(const Session& session, const Viewport& viewport) {
  const DomainSize domain = session.domain();
  return domain_viewport(viewport, session.view().camera(), domain.width, domain.height);
}

}  // namespace

void draw_outside_domain(const Session& session, const Viewport& viewport) {
  if (session.theme() == Theme::dark || !has_flat_domain(session)) return;
  const Viewport part = domain_part(session, viewport);
  const int left = part.x - viewport.x, bottom = part.y - viewport.y;
  fill_outside(viewport, left, bottom, left + part.width, bottom + part.height,
               palette_of(session.theme()).outside_domain);
}

Viewport exported_part(const Session& session, const Viewport& viewport) {
  constexpr int least = 16;  // pixels
  if (!has_flat_domain(session)) return viewport;
  const Viewport part = domain_part(session, viewport);
  return part.width < least || part.height < least ? viewport : part;
}

}  // namespace perturb
