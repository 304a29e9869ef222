#include "app/render/gl/pixel_reader.h"

#include <cstring>

#include <glad/gl.h>

#include "app/render/gl/gl_objects.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void PixelReader::start(const Viewport& part) {
  gl_forget_errors();
  if (!buffer_) buffer_ = GlBuffer::make();
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer_.name());
  const std::int64_t bytes = std::int64_t{4} * part.width * part.height;
  if (bytes != bytes_) glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(bytes), nullptr, GL_STREAM_READ);
  bytes_ = bytes;
  width_ = part.width;
  height_ = part.height;
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glPixelStorei(GL_PACK_SKIP_ROWS, 0);
  glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(part.x, part.y, part.width, part.height, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  gl_check("reading the image back");
  under_way_ = true;
}

void PixelReader::take(Picture& picture) {
  under_way_ = false;
  picture.width = width_;
  picture.height = height_;
  picture.pixels.resize(static_cast<std::size_t>(bytes_ / 4));
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer_.name());
  const void* pixels = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, static_cast<GLsizeiptr>(bytes_), GL_MAP_READ_BIT);
  if (pixels) std::memcpy(picture.pixels.data(), pixels, static_cast<std::size_t>(bytes_));
  const bool whole = pixels && glUnmapBuffer(GL_PIXEL_PACK_BUFFER) == GL_TRUE;
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  if (!whole) throw Error("Cannot read the image back from OpenGL. Try again, or restart the program.");
}

}  // namespace perturb
