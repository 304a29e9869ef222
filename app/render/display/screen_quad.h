// Draws a texture over the whole of the current viewport.
#pragma once

#include <memory>

namespace perturb {

// Needs the OpenGL context current, and ends before it.
class ScreenQuad {
 public:
  // Throws Error if the shaders cannot be compiled.
  ScreenQuad();
  ~ScreenQuad();
  ScreenQuad(const ScreenQuad&) = delete;
  ScreenQuad& operator=(const ScreenQuad&) = delete;
  // `texture`: an RGBA texture's OpenGL name. Texel row 0 at the bottom; pixel for pixel when sizes agree, the nearest
  // texel otherwise; alpha becomes 1. Blending, depth, culling and scissor tests are left switched off.
  void draw(unsigned texture);

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

}  // namespace perturb
