#include "app/window/frame_presenter.h"

#include <algorithm>
#include <cmath>

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

// Painters draw the walls of the domain outside of it, two pixels thick.
constexpr int wall_pixels = 2;

}  // namespace

void draw_outside_domain(const Session& session, const Viewport& viewport) {
  if (session.theme() == Theme::dark || session.info().orbits || session.view().quantity().has_depth) return;
  if (!session.run().scene->lanes.empty()) return;  // several domains
  const RunStatus& run = session.run();
  const auto pixel = [&](double x, double y) {
    const Camera::Point p =
        session.view().camera().to_pixel(x, y, viewport.width, viewport.height, run.domain_width, run.domain_height);
    // Clamped: far outside of the window an integer might overflow.
    return Camera::Point{std::clamp(p.x, -1e6, 1e6), std::clamp(p.y, -1e6, 1e6)};
  };
  const Camera::Point low = pixel(0, 0), high = pixel(1, 1);
  fill_outside(viewport, static_cast<int>(std::floor(low.x)) - wall_pixels,
               static_cast<int>(std::floor(low.y)) - wall_pixels, static_cast<int>(std::ceil(high.x)) + wall_pixels,
               static_cast<int>(std::ceil(high.y)) + wall_pixels, palette_of(session.theme()).outside_domain);
}

}  // namespace perturb
