#include "app/display/canvas.h"

#include <glad/gl.h>

namespace perturb {

void Canvas::paint(Simulation& simulation, const Camera& camera, const ViewSettings& view, int width, int height) {
  if (!buffer_ || buffer_->width() != width || buffer_->height() != height) {
    buffer_.reset();  // first give back, then take: two large pictures need not fit at once
    buffer_ = PixelBuffer::make(simulation.backend(), width, height, interop_, &note_);
  }
  if (!table_ || table_->id() != view.colormap)
    table_ = std::make_unique<ColorTable>(simulation.backend(), find_colormap(view.colormap));
  simulation.paint(buffer_->map(), camera, view, *table_);
  buffer_->unmap();
}

void Canvas::draw(const Viewport& viewport, bool finish) {
  if (!quad_) quad_ = std::make_unique<ScreenQuad>();
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
  quad_->draw(buffer_->texture(finish));
}

}  // namespace perturb
