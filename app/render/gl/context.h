// An OpenGL 3.3 core context with something to draw into: a window or an offscreen buffer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuda/core/paint/picture.h"

namespace perturb {

// Sizes in screen coordinates: pixels times the monitor's content scale where the system scales.
struct WindowOptions {
  int width = 1280, height = 720;
  // Where it stood when it was left, at that size; where no screen shows that place, the system chooses one.
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  std::optional<Place> place;
  std::string title = "Perturb";
  bool fullscreen = false;
  bool vsync = true;
};

// What draws: `doctor` prints it.
struct GlInfo {
  std::string vendor, renderer, version;
  bool software = false;  // llvmpipe, softpipe, SwiftShader
};

// Current on the thread that made it, and stays there. The window (GLFW) and the offscreen buffer (EGL) differ in how
// they are made and shown, and in nothing that draws.
class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Size of what is drawn into, in pixels; may change between frames, and is 0 while a window is minimised.
  virtual int width() const = 0;
  virtual int height() const = 0;
  // Binds what is drawn into and sets the viewport to all of it. Nothing is cleared.
  virtual void begin_frame() = 0;
  // Shows what was drawn.
  virtual void end_frame() = 0;
  // What has been drawn in this frame, alpha as it is there; waits for it. Call between begin_frame and end_frame.
  // Throws Error if OpenGL fails.
  Picture read_back() const;
  GlInfo gl_info() const;
};

// Draws into a buffer of this size in pixels, without a display. Throws InputError for a size that cannot be drawn and
// Error that says why and what to do (no EGL device, no OpenGL 3.3).
std::unique_ptr<GlContext> make_offscreen_context(int width, int height);

}  // namespace perturb
