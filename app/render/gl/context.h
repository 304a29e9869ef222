// An OpenGL 3.3 core context with a render target: a window or an offscreen buffer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuda/core/paint/pixels.h"

namespace perturb {

// Sizes in screen coordinates: pixels times the monitor's content scale where the system scales.
struct WindowOptions {
  int width = 1280, height = 720;
  // Position and size at the end of the last session; if no screen shows that position, the system chooses one.
  struct Place {
    int x = 0, y = 0, width = 0, height = 0;
  };
  std::optional<Place> place;
  bool fits_screen = false;  // without a place, the window's size suits the screen, and width and height do not count
  std::string title = "Perturb";
  bool fullscreen = false;
  bool vsync = true;
};

// Properties of the OpenGL implementation, as printed by `doctor`.
struct GlInfo {
  std::string vendor, renderer, version;
  bool software = false;  // llvmpipe, softpipe, SwiftShader
};

// Current on the thread that created it, and stays there. The window (GLFW) and the offscreen buffer (EGL) differ only
// in how they are created and shown.
class GlContext {
 public:
  GlContext() = default;
  virtual ~GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

  // Size of the render target in pixels; may change between frames, and is 0 while a window is minimised.
  virtual int width() const = 0;
  virtual int height() const = 0;
  // Binds the render target and sets the viewport to all of it. Does not clear it.
  virtual void begin_frame() = 0;
  // Shows the frame.
  virtual void end_frame() = 0;
  // The content drawn in this frame so far, with its alpha; waits for it. Call between begin_frame and end_frame.
  // Throws Error if OpenGL fails.
  Picture read_back() const;
  GlInfo gl_info() const;
};

// Renders into a buffer of this size in pixels, without a display. Throws InputError for a size that is not supported,
// and Error with reason and remedy (no EGL device, no OpenGL 3.3).
std::unique_ptr<GlContext> make_offscreen_context(int width, int height);

}  // namespace perturb
