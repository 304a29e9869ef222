#include "app/render/gl/gl_objects.h"

#include <glad/gl.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// A shader only exists until its program is linked.
class Shader {
 public:
  Shader(GLenum kind, const std::string& name, std::string_view source) : name_(glCreateShader(kind)) {
    const char* text = source.data();
    const GLint length = static_cast<GLint>(source.size());
    glShaderSource(name_, 1, &text, &length);
    glCompileShader(name_);
    GLint compiled = 0, log_length = 0;
    glGetShaderiv(name_, GL_COMPILE_STATUS, &compiled);
    if (compiled) return;
    glGetShaderiv(name_, GL_INFO_LOG_LENGTH, &log_length);
    std::string log(static_cast<std::size_t>(log_length) + 1, '\0');
    glGetShaderInfoLog(name_, log_length, nullptr, log.data());
    glDeleteShader(name_);
    throw Error("The {} shader of \"{}\" does not compile: {}", kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name,
                std::string(log.c_str()));
  }
  ~Shader() { glDeleteShader(name_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  GLuint name() const { return name_; }

 private:
  GLuint name_;
};

}  // namespace

GlProgram make_program(const std::string& name, std::string_view vertex, std::string_view fragment) {
  const Shader vertex_shader(GL_VERTEX_SHADER, name, vertex);
  const Shader fragment_shader(GL_FRAGMENT_SHADER, name, fragment);
  GlProgram program = GlProgram::make();
  glAttachShader(program.name(), vertex_shader.name());
  glAttachShader(program.name(), fragment_shader.name());
  glLinkProgram(program.name());
  glDetachShader(program.name(), vertex_shader.name());
  glDetachShader(program.name(), fragment_shader.name());
  GLint linked = 0, log_length = 0;
  glGetProgramiv(program.name(), GL_LINK_STATUS, &linked);
  if (!linked) {
    glGetProgramiv(program.name(), GL_INFO_LOG_LENGTH, &log_length);
    std::string log(static_cast<std::size_t>(log_length) + 1, '\0');
    glGetProgramInfoLog(program.name(), log_length, nullptr, log.data());
    throw Error("The shaders of \"{}\" do not link: {}", name, std::string(log.c_str()));
  }
  return program;
}

namespace {

const char* gl_error_text(GLenum code) {
  switch (code) {
    case GL_INVALID_ENUM:
      return "unknown constant (GL_INVALID_ENUM)";
    case GL_INVALID_VALUE:
      return "value out of range (GL_INVALID_VALUE)";
    case GL_INVALID_OPERATION:
      return "invalid operation (GL_INVALID_OPERATION)";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "incomplete framebuffer (GL_INVALID_FRAMEBUFFER_OPERATION)";
    case GL_OUT_OF_MEMORY:
      return "not enough memory (GL_OUT_OF_MEMORY); try a smaller size, or close other programs that use the graphics "
             "card";
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
  throw Error("OpenGL failed while {}: {}.", doing, words ? Message(words) : Message("error {}", code));
}

void gl_forget_errors() {
  // A lost context reports errors forever: hence the limit.
  for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
  }
}

}  // namespace perturb
