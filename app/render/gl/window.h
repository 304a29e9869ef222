// A window on the desktop (GLFW).
#pragma once

#include <memory>
#include <string>

#include "app/render/gl/context.h"

struct GLFWwindow;

namespace perturb {

class Window final : public GlContext {
 public:
  // Throws Error that says why there is no window and what to do.
  explicit Window(const WindowOptions& options);
  ~Window() override;

  // Framebuffer pixels, as of the last events.
  int width() const override { return width_; }
  int height() const override { return height_; }
  void begin_frame() override;
  void end_frame() override;  // swaps

  bool should_close() const;
  void request_close();
  void poll_events();
  // Waits up to `seconds` for an event: for a paused program, or one whose window is minimised.
  void wait_events(double seconds);
  // Ends a wait_events() under way or to come. From any thread.
  static void wake();
  // Framebuffer pixels per screen coordinate (pointer positions come in screen coordinates).
  double pixels_per_coordinate() const { return pixels_per_coordinate_; }
  // The monitor's content scale: 2 on most HiDPI screens.
  float content_scale() const;
  void set_fullscreen(bool on);
  bool fullscreen() const;
  // Where it is, or will be when it no longer fills the screen.
  WindowOptions::Place place() const;
  void set_title(const std::string& title);
  // Row 0 at the bottom. Desktops that take icons from the desktop entry alone (Wayland) leave it.
  void set_icon(const Picture& picture);
  void set_clipboard(const std::string& text);
  GLFWwindow* handle() const { return window_; }

  // Refreshes a second of the primary monitor; 60 where it does not say.
  static double display_rate();
  // Empty when a window can be opened here, else the reason, in a sentence with a remedy.
  static std::string unavailable_reason();

 private:
  GLFWwindow* window_ = nullptr;
  void move_to(const WindowOptions::Place& place);
  void measure();

  int width_ = 0, height_ = 0;
  double pixels_per_coordinate_ = 1;
  bool vsync_ = true;
  // Where the window was before it filled the screen; screen coordinates.
  int windowed_x_ = 0, windowed_y_ = 0, windowed_width_ = 0, windowed_height_ = 0;
};

}  // namespace perturb
