// Reads a part of each frame back without waiting for it in that frame.
#pragma once

#include <cstdint>

#include "app/render/gl/gl_objects.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// OpenGL copies the image asynchronously; it is read one frame later. The pixels have the order of window buffers, blue
// lowest (BGRA): with software OpenGL any other order is converted on the processor, which costs more than the copy.
// Needs the context current.
class PixelReader {
 public:
  // Starts reading this part of the bound framebuffer. At most one read may be pending: call take() first.
  void start(const Viewport& part);
  bool is_under_way() const { return under_way_; }
  // Waits for the pending read and stores it in `picture`, reusing its memory.
  void take(Picture& picture);

 private:
  GlBuffer buffer_;
  int width_ = 0, height_ = 0;
  std::int64_t bytes_ = 0;
  bool under_way_ = false;
};

}  // namespace perturb
