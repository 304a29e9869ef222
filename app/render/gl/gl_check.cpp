#include "app/render/gl/gl_check.h"

#include <glad/gl.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

const char* gl_error_text(GLenum code) {
  switch (code) {
    case GL_INVALID_ENUM:
      return "a value it does not know (GL_INVALID_ENUM)";
    case GL_INVALID_VALUE:
      return "a value out of range (GL_INVALID_VALUE)";
    case GL_INVALID_OPERATION:
      return "a call that is not allowed now (GL_INVALID_OPERATION)";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "an incomplete framebuffer (GL_INVALID_FRAMEBUFFER_OPERATION)";
    case GL_OUT_OF_MEMORY:
      return "not enough memory (GL_OUT_OF_MEMORY); a smaller picture, or closing other programs that draw, may help";
    default:
      return nullptr;
  }
}

}  // namespace

void gl_check(const char* doing) {
  const GLenum code = glGetError();
  if (code == GL_NO_ERROR) return;
  gl_forget_errors();
  const char* words = gl_error_text(code);
  throw Error(std::string("OpenGL failed while ") + doing + ": " +
              (words ? std::string(words) : "error " + std::to_string(code)) + ".");
}

void gl_forget_errors() {
  // A lost context reports errors forever: hence the limit.
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
  }
}

}  // namespace perturb
