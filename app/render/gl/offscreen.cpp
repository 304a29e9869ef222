// The offscreen context: EGL without a display, rendering into a framebuffer object.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glad/gl.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "app/render/gl/context.h"
#include "app/render/gl/gl_objects.h"
#include "app/render/gl/gl_setup.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

std::string egl_error_name(EGLint code) {
  switch (code) {
    case EGL_NOT_INITIALIZED:
      return "EGL_NOT_INITIALIZED";
    case EGL_BAD_ACCESS:
      return "EGL_BAD_ACCESS";
    case EGL_BAD_ALLOC:
      return "EGL_BAD_ALLOC";
    case EGL_BAD_ATTRIBUTE:
      return "EGL_BAD_ATTRIBUTE";
    case EGL_BAD_CONFIG:
      return "EGL_BAD_CONFIG";
    case EGL_BAD_MATCH:
      return "EGL_BAD_MATCH";
    case EGL_BAD_PARAMETER:
      return "EGL_BAD_PARAMETER";
    case EGL_BAD_DISPLAY:
      return "EGL_BAD_DISPLAY";
    default:
      return "EGL error " + std::to_string(code);
  }
}

// Whether a space-separated list of extensions contains this one as a whole word.
bool has_extension(const char* list, std::string_view wanted) {
  std::string_view rest = list ? list : "";
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    if (rest.substr(0, space) == wanted) return true;
    rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
  }
  return false;
}

template <class Function>
Function egl_function(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

// A device or platform that EGL may render on.
struct Candidate {
  std::string name;
  EGLenum platform = 0;
  void* native = EGL_DEFAULT_DISPLAY;
  int rank = 0;  // the lowest is tried first
};

// The device that CUDA numbers 0 comes first, so that an image made by CUDA stays on it; then other GPUs, then software
// rendering. With LIBGL_ALWAYS_SOFTWARE set, as Mesa reads it, software comes first.
std::vector<Candidate> candidates() {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const char* asked = std::getenv("LIBGL_ALWAYS_SOFTWARE");
  const bool software_first = asked && *asked && std::string_view(asked) != "0" && std::string_view(asked) != "false";
  std::vector<Candidate> found;

  const bool enumerates =
      has_extension(client, "EGL_EXT_device_base") || has_extension(client, "EGL_EXT_device_enumeration");
  if (enumerates && has_extension(client, "EGL_EXT_platform_device")) {
    const auto query_devices = egl_function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    const auto query_string = egl_function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    const auto query_attribute = egl_function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint count = 0;
    if (query_devices && query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count)) {
      for (EGLint i = 0; i < count; ++i) {
        EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
        const char* extensions = query_string ? query_string(device, EGL_EXTENSIONS) : nullptr;
        Candidate candidate{"EGL device " + std::to_string(i), EGL_PLATFORM_DEVICE_EXT, device, 2};
        if (has_extension(extensions, "EGL_MESA_device_software")) candidate.rank = software_first ? -1 : 3;
        EGLAttrib ordinal = -1;
        if (query_attribute && has_extension(extensions, "EGL_NV_device_cuda") &&
            query_attribute(device, EGL_CUDA_DEVICE_NV, &ordinal))
          candidate.rank = ordinal == 0 ? 0 : 1;
        found.push_back(candidate);
      }
    }
  }
  if (has_extension(client, "EGL_MESA_platform_surfaceless"))
    found.push_back({"Mesa without a surface", EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, 4});
  std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  return found;
}

// An EGL display with a current context, or the reason why there is none. A display is one per device and process and
// is shared by all contexts created on it: terminating it here would terminate those of others, so it stays open until
// the process ends.
class EglContext {
 public:
  static std::optional<EglContext> make(const Candidate& candidate, std::string& reason) {
    const auto get_display = egl_function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    EglContext made;
    const auto fail = [&](const char* call) {
      reason = std::string(call) + ": " + egl_error_name(eglGetError());
      return std::nullopt;
    };
    if (get_display) made.display_ = get_display(candidate.platform, candidate.native, nullptr);
    if (made.display_ == EGL_NO_DISPLAY) return fail("eglGetPlatformDisplayEXT");
    EGLint major = 0, minor = 0;
    if (!eglInitialize(made.display_, &major, &minor)) return fail("eglInitialize");
    if (!eglBindAPI(EGL_OPENGL_API)) return fail("eglBindAPI");

    const EGLint config_attributes[] = {EGL_SURFACE_TYPE,
                                        EGL_PBUFFER_BIT,
                                        EGL_RENDERABLE_TYPE,
                                        EGL_OPENGL_BIT,
                                        EGL_RED_SIZE,
                                        8,
                                        EGL_GREEN_SIZE,
                                        8,
                                        EGL_BLUE_SIZE,
                                        8,
                                        EGL_NONE};
    EGLConfig config = nullptr;
    EGLint configs = 0;
    if (!eglChooseConfig(made.display_, config_attributes, &config, 1, &configs)) return fail("eglChooseConfig");
    if (configs == 0) {
      reason = "it has no configuration for OpenGL";
      return std::nullopt;
    }
    const EGLint context_attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    made.context_ = eglCreateContext(made.display_, config, EGL_NO_CONTEXT, context_attributes);
    if (made.context_ == EGL_NO_CONTEXT) return fail("eglCreateContext for OpenGL 3.3");
    if (!has_extension(eglQueryString(made.display_, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
      // Never drawn into: some systems require a surface.
      const EGLint smallest[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      made.surface_ = eglCreatePbufferSurface(made.display_, config, smallest);
      if (made.surface_ == EGL_NO_SURFACE) return fail("eglCreatePbufferSurface");
    }
    if (!made.make_current()) return fail("eglMakeCurrent");
    return made;
  }

  EglContext(EglContext&& other) noexcept
      : display_(other.display_),
        context_(std::exchange(other.context_, EGL_NO_CONTEXT)),
        surface_(std::exchange(other.surface_, EGL_NO_SURFACE)) {}
  EglContext& operator=(EglContext&&) = delete;
  ~EglContext() {
    if (context_ != EGL_NO_CONTEXT && eglGetCurrentContext() == context_)
      eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (surface_ != EGL_NO_SURFACE) eglDestroySurface(display_, surface_);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
  }

  bool make_current() { return eglMakeCurrent(display_, surface_, surface_, context_); }
  bool is_current() const { return eglGetCurrentContext() == context_; }

 private:
  EglContext() = default;
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface surface_ = EGL_NO_SURFACE;
};

// The first candidate that works. Throws Error with the error of each candidate.
EglContext make_egl_context() {
  std::string reasons;
  for (const Candidate& candidate : candidates()) {
    std::string reason;
    if (auto context = EglContext::make(candidate, reason)) return std::move(*context);
    reasons += (reasons.empty() ? "" : "; ") + candidate.name + ": " + reason;
  }
  throw Error(
      "Cannot draw without a window: EGL offers no device with OpenGL 3.3 ({}). Install Mesa's drivers (packages "
      "libegl1 and libgl1-mesa-dri) or the NVIDIA driver with its EGL library.",
      reasons.empty() ? Message("it lists none") : Message::value(reasons));
}

class OffscreenContext final : public GlContext {
 public:
  OffscreenContext(int width, int height) : egl_(make_egl_context()), width_(width), height_(height) {
    load_gl([](const char* name) { return reinterpret_cast<GlFunction>(eglGetProcAddress(name)); });
    GLint largest = 0, largest_viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, largest_viewport);
    largest = std::min({largest, largest_viewport[0], largest_viewport[1]});
    if (width > largest || height > largest)
      throw InputError(
          "Cannot draw an image of {}x{} pixels: OpenGL on this machine ({}) supports up to {} pixels per side.", width,
          height, gl_info().renderer, largest);
    color_ = GlRenderbuffer::make();
    framebuffer_ = GlFramebuffer::make();
    glBindRenderbuffer(GL_RENDERBUFFER, color_.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_.name());
    gl_check("creating the offscreen image");
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      throw Error(
          "Cannot draw into an RGBA8 image: OpenGL on this machine ({}) does not support it. Update the graphics "
          "driver.",
          gl_info().renderer);
    begin_frame();
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
  }

  int width() const override { return width_; }
  int height() const override { return height_; }
  void begin_frame() override {
    if (!egl_.is_current() && !egl_.make_current())
      throw Error("Cannot activate the offscreen OpenGL context ({}).", egl_error_name(eglGetError()));
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glViewport(0, 0, width_, height_);
  }
  void end_frame() override { glFlush(); }

 private:
  EglContext egl_;  // first member, destroyed last: the objects below need it for their destruction
  int width_, height_;
  GlRenderbuffer color_;
  GlFramebuffer framebuffer_;
};

}  // namespace

std::unique_ptr<GlContext> make_offscreen_context(int width, int height) {
  if (width < 1 || height < 1)
    throw InputError("Cannot draw an image of {}x{} pixels. Both numbers must be at least 1.", width, height);
  limit_drawing_threads();
  return std::make_unique<OffscreenContext>(width, height);
}

}  // namespace perturb
