#include "app/render/display/canvas.h"

#include <glad/gl.h>

namespace perturb {

Canvas::MappedImage Canvas::map(Backend& backend, const std::string& colormap, int width, int height) {
  if (&backend != backend_) {
    buffer_.reset();
    table_.reset();
    backend_ = &backend;
  }
  if (!buffer_ || buffer_->width() != width || buffer_->height() != height) {
    buffer_.reset();  // release first, then allocate: two large images need not fit at once
    buffer_ = PixelBuffer::make(backend, width, height, interop_, &note_);
  }
  if (const Colormap& colors = find_colormap(colormap); !table_ || !table_->holds(colors))
    table_ = std::make_unique<ColorTable>(backend, colors);
  const Pixels pixels = buffer_->map();
  mapped_ = true;
  return {pixels, *table_};
}

void Canvas::unmap() {
  mapped_ = false;
  buffer_->unmap();
}

void Canvas::paint(Simulation& simulation, const Camera& camera, const ViewSettings& view, int width, int height) {
  const MappedImage image = map(simulation.backend(), view.colormap, width, height);
  simulation.paint_view(image.pixels, camera, view, image.table);
  unmap();
}

void Canvas::draw(const Viewport& viewport, bool finish) {
  if (!quad_) quad_ = std::make_unique<ScreenQuad>();
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glViewport(viewport.x, viewport.y, viewport.width, viewport.height);
  if (buffer_) quad_->draw(buffer_->texture(finish));
}

}  // namespace perturb
