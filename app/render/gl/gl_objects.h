// Owners of OpenGL objects, and OpenGL errors as exceptions. Owners are movable, not copyable; the context that created
// them must be current when they are destroyed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <glad/gl.h>

namespace perturb {

// Owner of an OpenGL name; Kind defines how it is created and deleted. GlName{} owns nothing (name 0).
template <class Kind>
class GlName {
 public:
  GlName() = default;
  static GlName make() {
    GlName made;
    Kind::make(&made.name_);
    return made;
  }
  GlName(GlName&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlName& operator=(GlName&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~GlName() {
    if (name_) Kind::end(&name_);
  }
  GLuint name() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

namespace gl_kinds {
struct Buffer {
  static void make(GLuint* name) { glGenBuffers(1, name); }
  static void end(const GLuint* name) { glDeleteBuffers(1, name); }
};
struct Texture {
  static void make(GLuint* name) { glGenTextures(1, name); }
  static void end(const GLuint* name) { glDeleteTextures(1, name); }
};
struct VertexArray {
  static void make(GLuint* name) { glGenVertexArrays(1, name); }
  static void end(const GLuint* name) { glDeleteVertexArrays(1, name); }
};
struct Framebuffer {
  static void make(GLuint* name) { glGenFramebuffers(1, name); }
  static void end(const GLuint* name) { glDeleteFramebuffers(1, name); }
};
struct Renderbuffer {
  static void make(GLuint* name) { glGenRenderbuffers(1, name); }
  static void end(const GLuint* name) { glDeleteRenderbuffers(1, name); }
};
struct Program {
  static void make(GLuint* name) { *name = glCreateProgram(); }
  static void end(const GLuint* name) { glDeleteProgram(*name); }
};
}  // namespace gl_kinds

using GlBuffer = GlName<gl_kinds::Buffer>;
using GlTexture = GlName<gl_kinds::Texture>;
using GlVertexArray = GlName<gl_kinds::VertexArray>;
using GlFramebuffer = GlName<gl_kinds::Framebuffer>;
using GlRenderbuffer = GlName<gl_kinds::Renderbuffer>;
using GlProgram = GlName<gl_kinds::Program>;

// A fence in the stream of OpenGL's commands.
class GlSync {
 public:
  GlSync() = default;
  GlSync(GlSync&& other) noexcept : sync_(std::exchange(other.sync_, nullptr)) {}
  GlSync& operator=(GlSync&& other) noexcept {
    std::swap(sync_, other.sync_);
    return *this;
  }
  ~GlSync() {
    if (sync_) glDeleteSync(sync_);
  }
  // Inserted after the commands so far.
  static GlSync here() {
    GlSync made;
    made.sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    return made;
  }
  // Whether OpenGL has reached it; an empty one counts as passed.
  bool passed() const { return !sync_ || glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, 0) != GL_TIMEOUT_EXPIRED; }
  // Waits for it, for at most `seconds`.
  bool wait(double seconds) const {
    return !sync_ || glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, static_cast<GLuint64>(seconds * 1e9)) !=
                         GL_TIMEOUT_EXPIRED;
  }

 private:
  GLsync sync_ = nullptr;
};

// Compiles and links GLSL. Throws Error with `name` and the compiler's message.
GlProgram make_program(const std::string& name, std::string_view vertex, std::string_view fragment);

// Throws Error if an earlier OpenGL call failed, with the current activity, OpenGL's error text and, when memory ran
// out, a remedy. Called where objects are created, not in every frame: the query can make the CPU wait for the GPU.
void gl_check(const char* doing);

// Clears the errors of earlier calls.
void gl_forget_errors();

}  // namespace perturb
