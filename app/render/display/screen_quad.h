// Draws a texture over the whole current viewport.
#pragma once

#include <memory>

namespace perturb {

// Needs the OpenGL context current, and must be destroyed before it.
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

}  // namespace perturb
