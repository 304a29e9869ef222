#include "app/render/display/screen_quad.h"

#include <algorithm>
#include <span>
#include <string>

#include "app/render/gl/gl_objects.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_shaders();

namespace {

std::string_view shader(std::string_view name) {
  for (const EmbeddedFile& file : embedded_shaders())
    if (file.name == name) return file.text;
  throw Error("Cannot find the shader \"{}\" in the program. Build the program again.", name);
}

}  // namespace

struct ScreenQuad::Objects {
  GlProgram program = make_program("screen", shader("screen.vert"), shader("screen.frag"));
  GlVertexArray no_vertices = GlVertexArray::make();  // core OpenGL requires a bound one, even if it is empty
};

ScreenQuad::ScreenQuad() : objects_(std::make_unique<Objects>()) {
  glUseProgram(objects_->program.name());
  glUniform1i(glGetUniformLocation(objects_->program.name(), "picture"), 0);
  gl_check("preparing to draw the image");
}

ScreenQuad::~ScreenQuad() = default;

void ScreenQuad::draw(unsigned texture) {
  for (GLenum off : {GL_BLEND, GL_DEPTH_TEST, GL_CULL_FACE, GL_SCISSOR_TEST}) glDisable(off);
  glUseProgram(objects_->program.name());
  glBindVertexArray(objects_->no_vertices.name());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glBindSampler(0, 0);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
}

void fill_outside(const Viewport& viewport, int left, int bottom, int right, int top, std::uint32_t color) {
  const auto part = [&](int shift) { return static_cast<float>(color >> shift & 0xFF) / 255; };
  const auto fill = [&](int x0, int y0, int x1, int y1) {
    x0 = std::max(x0, 0);
    y0 = std::max(y0, 0);
    x1 = std::min(x1, viewport.width);
    y1 = std::min(y1, viewport.height);
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
