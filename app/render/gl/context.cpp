#include "app/render/gl/context.h"

#include <glad/gl.h>

#include "app/render/gl/gl_objects.h"

namespace perturb {

Picture GlContext::read_back() const {
  Picture picture;
  picture.width = width();
  picture.height = height();
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  if (picture.pixels.empty()) return picture;
  gl_forget_errors();
  // Earlier drawing code may have left its own packing; RGBA8 rows are whole words, so alignment has no effect.
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glPixelStorei(GL_PACK_SKIP_ROWS, 0);
  glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  gl_check("reading the image back");
  return picture;
}

GlInfo GlContext::gl_info() const {
  const auto text = [](GLenum name) {
    const GLubyte* words = glGetString(name);
    return words ? std::string(reinterpret_cast<const char*>(words)) : std::string("unknown");
  };
  GlInfo info{text(GL_VENDOR), text(GL_RENDERER), text(GL_VERSION)};
  for (const char* word : {"llvmpipe", "softpipe", "swrast", "SwiftShader", "Software Rasterizer"})
    info.software = info.software || info.renderer.find(word) != std::string::npos;
  return info;
}

}  // namespace perturb
