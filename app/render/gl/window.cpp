#include "app/render/gl/window.h"

// glad includes OpenGL; GLFW then omits its own header.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include <glad/gl.h>
#include <GLFW/glfw3.h>
#include <dlfcn.h>

#include "app/render/gl/gl_setup.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// GLFW's text for the last error.
std::string glfw_error_text() {
  const char* words = nullptr;
  const int code = glfwGetError(&words);
  return code == GLFW_NO_ERROR || !words ? "GLFW gives no reason" : words;
}

// Initializes GLFW, once per process. Returns why it failed, or an empty string.
Message start_glfw() {
  static bool started = false;
  if (started) return {};
#if defined(__linux__)
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
  };
  if (!set("DISPLAY") && !set("WAYLAND_DISPLAY"))
    return "Cannot open a window: neither DISPLAY nor WAYLAND_DISPLAY is set. Start Perturb from a desktop session or "
           "over 'ssh -X', or add --headless to run without a window.";
  // Before 3.4, a build of GLFW serves either X11 or Wayland.
  if (!set("DISPLAY") && std::string_view(glfwGetVersionString()).find("Wayland") == std::string_view::npos)
    return "Cannot open a window: only WAYLAND_DISPLAY is set, and the installed GLFW needs X11. Start Perturb where "
           "Xwayland runs (package xwayland, which sets DISPLAY), install the package libglfw3-wayland instead of "
           "libglfw3, or add --headless to run without a window.";
#endif
  if (!glfwInit())
    return {
        "Cannot open the display ({}). Check that you may use the screen that DISPLAY names, or add --headless to run "
        "without a window.",
        glfw_error_text()};
  started = true;
  std::atexit(glfwTerminate);
  return {};
}

// The monitor that shows most of the window.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  int x = 0, y = 0, width = 0, height = 0;
  glfwGetWindowPos(window, &x, &y);
  glfwGetWindowSize(window, &width, &height);
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  long best_area = 0;
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (!mode) continue;
    int left = 0, top = 0;
    glfwGetMonitorPos(monitors[i], &left, &top);
    const long across = std::min(x + width, left + mode->width) - std::max(x, left);
    const long down = std::min(y + height, top + mode->height) - std::max(y, top);
    if (across > 0 && down > 0 && across * down > best_area) {
      best_area = across * down;
      best = monitors[i];
    }
  }
  return best;
}

}  // namespace

Message Window::unavailable_reason() { return start_glfw(); }

Window::Window(const WindowOptions& options) : vsync_(options.vsync) {
  if (const Message reason = start_glfw(); !reason.empty()) throw Error(reason);

  limit_drawing_threads();
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_API);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // The image only needs colour; on X11 systems with their own scale the window looks as large as elsewhere.
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  // A full-screen window stays visible when another one gets the focus: there may be two screens, and in kiosk mode
  // nothing would restore it.
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "perturb");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "perturb");

  std::optional<WindowOptions::Place> place = options.place;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor(); !place && options.fits_screen && monitor) {
    WindowOptions::Place area;
    glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.width, &area.height);
    if (area.width > 0 && area.height > 0) place = suggested_place(area);
  }
  glfwWindowHint(GLFW_VISIBLE, place ? GLFW_FALSE : GLFW_TRUE);  // shown once it is at its position
  glfwGetError(nullptr);
  window_ = glfwCreateWindow(std::max(1, options.width), std::max(1, options.height), options.title.c_str(), nullptr,
                             nullptr);
  if (!window_)
    throw Error(
        "Cannot open a window with OpenGL 3.3 ({}). Update the graphics driver, or install Mesa (package "
        "libgl1-mesa-dri) and start with LIBGL_ALWAYS_SOFTWARE=1, or add --headless to run without a window.",
        glfw_error_text());
  try {
    glfwMakeContextCurrent(window_);
    load_gl(glfwGetProcAddress);
  } catch (...) {
    glfwDestroyWindow(window_);
    throw;
  }
  glfwSwapInterval(vsync_ ? 1 : 0);
  if (place) {
    move_to(*place);
    glfwShowWindow(window_);
  }
  glfwGetWindowPos(window_, &windowed_x_, &windowed_y_);
  glfwGetWindowSize(window_, &windowed_width_, &windowed_height_);
  if (options.fullscreen) set_fullscreen(true);
  measure();
  // Until the first frame is ready, the window is black and not filled with undefined memory.
  begin_frame();
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  end_frame();
}

Window::~Window() { glfwDestroyWindow(window_); }

WindowOptions::Place Window::suggested_place(const WindowOptions::Place& work_area) {
  constexpr double share = 0.8, max_aspect = 2;
  const WindowOptions usual;
  const auto length = [&](int usual_length, int room) {
    return std::min(room, std::max(usual_length, static_cast<int>(share * room)));
  };
  const int height = length(usual.height, work_area.height);
  const int width = std::min(length(usual.width, work_area.width), static_cast<int>(max_aspect * height));
  return {work_area.x + (work_area.width - width) / 2, work_area.y + (work_area.height - height) / 2, width, height};
}

void Window::move_to(const WindowOptions::Place& place) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    int left = 0, top = 0, width = 0, height = 0;
    glfwGetMonitorWorkarea(monitors[i], &left, &top, &width, &height);
    // Its upper edge must be reachable for a pointer that would move it.
    constexpr int min_seen = 64;
    const int seen = std::min(place.x + place.width, left + width) - std::max(place.x, left);
    if (seen < min_seen || place.y < top || place.y + min_seen > top + height) continue;
    glfwSetWindowSize(window_, std::min(place.width, width), std::min(place.height, height));
    glfwSetWindowPos(window_, place.x, place.y);
    return;
  }
}

WindowOptions::Place Window::place() const {
  if (fullscreen()) return {windowed_x_, windowed_y_, windowed_width_, windowed_height_};
  WindowOptions::Place place;
  glfwGetWindowPos(window_, &place.x, &place.y);
  glfwGetWindowSize(window_, &place.width, &place.height);
  return place;
}

// On X11 each query is a round trip to the server: once per frame is enough.
void Window::measure() {
  glfwGetFramebufferSize(window_, &width_, &height_);
  int coordinates = 0;
  glfwGetWindowSize(window_, &coordinates, nullptr);
  pixels_per_coordinate_ = coordinates > 0 && width_ > 0 ? static_cast<double>(width_) / coordinates : 1;
}

void Window::begin_frame() {
  if (glfwGetCurrentContext() != window_) glfwMakeContextCurrent(window_);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width(), height());
}

void Window::end_frame() { glfwSwapBuffers(window_); }

bool Window::should_close() const { return glfwWindowShouldClose(window_); }
void Window::request_close() { glfwSetWindowShouldClose(window_, GLFW_TRUE); }
void Window::poll_events() {
  glfwPollEvents();
  measure();
}
void Window::wake() { glfwPostEmptyEvent(); }
void Window::wait_events(double seconds) {
  glfwWaitEventsTimeout(std::max(1e-3, seconds));
  measure();
}

float Window::content_scale() const {
  float across = 1, down = 1;
  glfwGetWindowContentScale(window_, &across, &down);
  return across > 0 ? across : 1;
}

void Window::set_fullscreen(bool on) {
  if (on == fullscreen()) return;
  if (on) {
    GLFWmonitor* monitor = monitor_of(window_);
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return;
    glfwGetWindowPos(window_, &windowed_x_, &windowed_y_);
    glfwGetWindowSize(window_, &windowed_width_, &windowed_height_);
    glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  } else {
    glfwSetWindowMonitor(window_, nullptr, windowed_x_, windowed_y_, windowed_width_, windowed_height_, 0);
  }
  // Some drivers reset it with the change.
  glfwSwapInterval(vsync_ ? 1 : 0);
}

bool Window::fullscreen() const { return glfwGetWindowMonitor(window_) != nullptr; }

void Window::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }
void Window::set_icon(const Picture& picture) {
  if (picture.pixels.empty()) return;
  std::vector<std::uint32_t> rows;
  for (int row = picture.height - 1; row >= 0; --row) {
    const auto begin = picture.pixels.begin() + static_cast<std::ptrdiff_t>(row) * picture.width;
    rows.insert(rows.end(), begin, begin + picture.width);
  }
  const GLFWimage image{picture.width, picture.height, reinterpret_cast<unsigned char*>(rows.data())};
  glfwSetWindowIcon(window_, 1, &image);
}
unsigned long Window::x11_id() const {
  // Builds of GLFW for Wayland alone lack this function.
  using GetX11Window = unsigned long (*)(GLFWwindow*);
  const auto get = reinterpret_cast<GetX11Window>(dlsym(RTLD_DEFAULT, "glfwGetX11Window"));
  return get ? get(window_) : 0;
}
void Window::set_clipboard(const std::string& text) { glfwSetClipboardString(window_, text.c_str()); }

double Window::display_rate() {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
  return mode && mode->refreshRate >= 24 ? mode->refreshRate : 60;
}

}  // namespace perturb
