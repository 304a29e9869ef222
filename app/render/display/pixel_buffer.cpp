#include "app/render/display/pixel_buffer.h"

#include <array>

#include "app/render/display/pixel_buffer_cuda.h"
#include "app/render/display/pixel_texture.h"
#include "app/render/gl/gl_check.h"
#include "cuda/core/backend/check.h"

namespace perturb {

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
      gl_check("mapping the buffer that the picture goes through");
      throw Error("OpenGL could not map the buffer that the picture goes through; a smaller picture may help.");
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

std::unique_ptr<PixelBuffer> PixelBuffer::make(Backend& backend, int width, int height, bool interop,
                                               std::string* note) {
  if (note) note->clear();
  if (backend.is_cuda()) return make_cuda_pixel_buffer(backend, width, height, interop, note);
  return std::make_unique<HostMappedPixelBuffer>(width, height);
}

}  // namespace perturb
