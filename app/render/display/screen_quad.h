// Draws a texture over the current viewport, and fills the surroundings of a rectangle with one colour.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/core/paint/pixels.h"

namespace perturb {

// Draws a texture over the whole current viewport. Needs the OpenGL context current, and must be destroyed before it.
class ScreenQuad {
 public:
  // Throws Error if the shaders cannot be compiled.
  ScreenQuad();
  ~ScreenQuad();
  ScreenQuad(const ScreenQuad&) = delete;
  ScreenQuad& operator=(const ScreenQuad&) = delete;
  // `texture`: name of an RGBA texture in OpenGL. Texel row 0 at the bottom; pixel for pixel when sizes agree, the
  // nearest texel otherwise; alpha becomes 1. Blending, depth, culling and scissor tests are left disabled.
  void draw(unsigned texture);

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

// Fills the part of the viewport outside a rectangle with a colour (RGBA, red in the lowest byte). The rectangle is in
// framebuffer pixels from the lower left corner of the viewport, and may extend beyond it. Draws over existing content.
void fill_outside(const Viewport& viewport, int left, int bottom, int right, int top, std::uint32_t color);

}  // namespace perturb
