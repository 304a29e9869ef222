#include "app/render/display/pixel_buffer.h"

#include <array>
#include <cstdint>
#include <vector>

#include "app/render/display/pixel_buffer_paths.h"
#include "app/render/gl/gl_objects.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"

namespace perturb {

namespace {

// Sets the state that glTexSubImage2D reads, which earlier drawing code may have changed.
void set_unpacking(int row_length) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, row_length);
  glPixelStorei(GL_UNPACK_SKIP_ROWS, 0);
  glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
}

}  // namespace

PixelLayout pixel_layout(int width, int height) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  if (width < 1 || height < 1 || width > largest || height > largest)
    throw InputError("Cannot show an image of {}x{} pixels: the graphics card supports 1 to {} pixels per side.", width,
                     height, largest);
  return {width, height, Field<std::uint32_t>::stride_of(width)};
}

PixelTexture::PixelTexture(const PixelLayout& layout) : layout_(layout), texture_(GlTexture::make()) {
  gl_forget_errors();
  const std::vector<std::uint32_t> black(
      static_cast<std::size_t>(layout.width) * static_cast<std::size_t>(layout.height), 0xff000000u);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  set_unpacking(0);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  // No mipmaps: without this the texture would count as incomplete.
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, layout.width, layout.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, black.data());
  gl_check("creating the image's texture");
}

void PixelTexture::take(const GlBuffer& buffer) {
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.name());
  set_unpacking(layout_.stride);
  glBindTexture(GL_TEXTURE_2D, texture_.name());
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, layout_.width, layout_.height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  // Restores the default that other code expects.
  set_unpacking(0);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

GlBuffer make_pixel_unpack_buffer(const PixelLayout& layout) {
  GlBuffer buffer = GlBuffer::make();
  gl_forget_errors();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.name());
  glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(layout.bytes()), nullptr, GL_STREAM_DRAW);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  gl_check("creating the buffer for the image");
  return buffer;
}

namespace {

// The CPU's threads write directly into memory that the driver maps. Three buffers are used in turn: the driver may
// still be copying from the last two, and waiting for it would cost a frame.
class HostMappedPixelBuffer final : public PixelBuffer {
 public:
  HostMappedPixelBuffer(int width, int height)
      : PixelBuffer(width, height), layout_(pixel_layout(width, height)), texture_(layout_) {
    for (GlBuffer& buffer : buffers_) buffer = make_pixel_unpack_buffer(layout_);
  }
  ~HostMappedPixelBuffer() override {
    if (mapped_) unmap_buffer();
  }

  PixelPath path() const override { return PixelPath::host_mapped; }

  Pixels map() override {
    PERTURB_ASSERT(!mapped_);
    turn_ = (turn_ + 1) % buffers_.size();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_[turn_].name());
    void* memory = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<GLsizeiptr>(layout_.bytes()),
                                    GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    if (!memory) {
      gl_check("mapping the buffer for the image");
      throw Error("Cannot map OpenGL's buffer for the image. Try a smaller size.");
    }
    mapped_ = true;
    return {static_cast<std::uint32_t*>(memory), width(), height(), layout_.stride};
  }

  void unmap() override {
    PERTURB_ASSERT(mapped_);
    // False: the memory was lost meanwhile (a screen that changed its mode). The next frame writes all of it again.
    fresh_ = unmap_buffer();
  }

  unsigned texture(bool) override {
    if (fresh_) texture_.take(buffers_[turn_]);
    fresh_ = false;
    return texture_.name();
  }

 private:
  bool unmap_buffer() {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffers_[turn_].name());
    const bool whole = glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    mapped_ = false;
    return whole;
  }

  PixelLayout layout_;
  PixelTexture texture_;
  std::array<GlBuffer, 3> buffers_;
  std::size_t turn_ = 0;
  bool mapped_ = false, fresh_ = false;
};

}  // namespace

const char* name_of(PixelPath path) {
  switch (path) {
    case PixelPath::interop:
      return "interop";
    case PixelPath::host_mapped:
      return "host-mapped";
    case PixelPath::staged:
      return "staged";
  }
  return "";
}

std::unique_ptr<PixelBuffer> PixelBuffer::make(Backend& backend, int width, int height, bool interop, Message* note) {
  if (note) *note = {};
  if (backend.is_cuda()) return make_cuda_pixel_buffer(backend, width, height, interop, note);
  return std::make_unique<HostMappedPixelBuffer>(width, height);
}

}  // namespace perturb
