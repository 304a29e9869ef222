// A window on the desktop (GLFW).
#pragma once

#include <memory>
#include <string>

#include "app/render/gl/context.h"
#include "cuda/core/backend/message.h"

struct GLFWwindow;

namespace perturb {

class Window final : public GlContext {
 public:
  // Throws Error with the reason and the remedy if no window can be opened.
  explicit Window(const WindowOptions& options);
  ~Window() override;

  // Framebuffer pixels after the last events.
  int width() const override { return width_; }
  int height() const override { return height_; }
  void begin_frame() override;
  void end_frame() override;  // swaps

  bool should_close() const;
  void request_close();
  void poll_events();
  // Waits up to `seconds` for an event: for a paused program, or a minimised window.
  void wait_events(double seconds);
  // Ends a current or future wait_events(). Callable from any thread.
  static void wake();
  // Framebuffer pixels per screen coordinate (pointer positions are in screen coordinates).
  double pixels_per_coordinate() const { return pixels_per_coordinate_; }
  // The monitor's content scale: 2 on most HiDPI screens.
  float content_scale() const;
  void set_fullscreen(bool on);
  bool fullscreen() const;
  // Current position, or the one after leaving full screen.
  WindowOptions::Place place() const;
  void set_title(const std::string& title);
  // Row 0 at the bottom. Desktops that only use the icon of the desktop entry (Wayland) ignore it.
  void set_icon(const Picture& picture);
  void set_clipboard(const std::string& text);
  // Its identifier on X11; 0 on Wayland.
  unsigned long x11_id() const;
  GLFWwindow* handle() const { return window_; }

  // Position and size of a new window on a screen with this work area: in its middle, four fifths of its width and
  // height, but at least the usual 1280 x 720 where there is room, and at most twice as wide as high.
  static WindowOptions::Place suggested_place(const WindowOptions::Place& work_area);
  // Refresh rate of the primary monitor in Hz; 60 if it is not known.
  static double display_rate();
  // Empty if a window can be opened here, else the reason with a remedy.
  static Message unavailable_reason();

 private:
  GLFWwindow* window_ = nullptr;
  void move_to(const WindowOptions::Place& place);
  void measure();

  int width_ = 0, height_ = 0;
  double pixels_per_coordinate_ = 1;
  bool vsync_ = true;
  // Position and size of the window before full screen; screen coordinates.
  int windowed_x_ = 0, windowed_y_ = 0, windowed_width_ = 0, windowed_height_ = 0;
};

}  // namespace perturb
