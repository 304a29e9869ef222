// The parts of the pixel buffer's paths: the texture at the end of each, and the two paths for a CUDA backend. Used
// inside app/render/display.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "app/render/display/pixel_buffer.h"
#include "app/render/gl/gl_objects.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// RGBA8 pixels in OpenGL buffers, with the row pitch of every View2D: a multiple of 128 bytes.
struct PixelLayout {
  int width = 0, height = 0;
  int stride = 0;  // pixels
  std::size_t bytes() const { return static_cast<std::size_t>(stride) * static_cast<std::size_t>(height) * 4; }
};
// Throws InputError for a size that OpenGL cannot show.
PixelLayout pixel_layout(int width, int height);

class PixelTexture {
 public:
  // Black. Throws Error when OpenGL runs out of memory.
  explicit PixelTexture(const PixelLayout& layout);
  // Queues a copy of a buffer's pixels to the texture.
  void take(const GlBuffer& buffer);
  GLuint name() const { return texture_.name(); }

 private:
  PixelLayout layout_;
  GlTexture texture_;
};

// A buffer to upload pixels from, with undefined contents. Throws Error when OpenGL runs out of memory.
GlBuffer make_pixel_unpack_buffer(const PixelLayout& layout);

// As PixelBuffer::make, for a CUDA backend; a build without CUDA has a stub.
std::unique_ptr<PixelBuffer> make_cuda_pixel_buffer(Backend& backend, int width, int height, bool interop,
                                                    Message* note);

}  // namespace perturb
