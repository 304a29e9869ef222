#include "app/render/display/fill_outside.h"

#include <algorithm>

#include "app/render/gl/gl_objects.h"

namespace perturb {

void fill_outside(const Viewport& viewport, int left, int bottom, int right, int top, std::uint32_t color) {
  const auto part = [&](int shift) { return static_cast<float>(color >> shift & 0xFF) / 255; };
  const auto fill = [&](int x0, int y0, int x1, int y1) {
    x0 = std::max(x0, 0), y0 = std::max(y0, 0);
    x1 = std::min(x1, viewport.width), y1 = std::min(y1, viewport.height);
    if (x1 <= x0 || y1 <= y0) return;
    glScissor(viewport.x + x0, viewport.y + y0, x1 - x0, y1 - y0);
    glClear(GL_COLOR_BUFFER_BIT);
  };
  glEnable(GL_SCISSOR_TEST);
  glClearColor(part(0), part(8), part(16), 1);
  fill(0, 0, left, viewport.height);
  fill(right, 0, viewport.width, viewport.height);
  fill(left, 0, right, bottom);
  fill(left, top, right, viewport.height);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace perturb
