// Reads a part of each frame back, without waiting for it in that frame.
#pragma once

#include <cstdint>

#include "app/render/gl/gl_objects.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// The picture is copied by OpenGL in its own time and taken a frame later. It comes as windows keep it, blue lowest
// (BGRA): any other order is made on the processor where OpenGL is software, which costs more than the copy. Needs the
// context current.
class PixelReader {
 public:
  // Asks for this part of what is bound to be read. One is under way at most: take it first.
  void start(const Viewport& part);
  bool is_under_way() const { return under_way_; }
  // Waits for what was asked for, and puts it into `picture`, whose memory is used again.
  void take(Picture& picture);

 private:
  GlBuffer buffer_;
  int width_ = 0, height_ = 0;
  std::int64_t bytes_ = 0;
  bool under_way_ = false;
};

}  // namespace perturb
