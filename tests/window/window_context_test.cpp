// The real window: what is drawn into it, its sizes, and its end. Without a display, uses its own (Xvfb); skipped if
// that is missing too.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <glad/gl.h>
// After glad, which includes OpenGL.
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/render/display/pixel_buffer.h"
#include "app/render/display/screen_quad.h"
#include "app/render/gl/window.h"
#include "cuda/core/paint/pixels.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

// The files of this process's X server.
struct ScreenFolder {
  ScreenFolder() { std::filesystem::create_directories(path); }
  ~ScreenFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("perturb-screen-" + std::to_string(getpid()));
};

class WindowContext : public testing::Test {
 protected:
  void SetUp() override {
    if (Window::unavailable_reason().empty()) return;
    // For the whole process: GLFW keeps its connection until the end, and must end before anything created earlier.
    static const ScreenFolder folder;
    static const VirtualScreen screen(folder.path);
    if (!screen.display().empty()) setenv("DISPLAY", screen.display().c_str(), 1);
    if (const std::string reason = Window::unavailable_reason().english(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static WindowOptions small() {
    WindowOptions options;
    options.width = 320;
    options.height = 200;
    options.vsync = false;
    return options;
  }
  // Processes window system events until `done`. The limit is only a guard against hanging.
  template <class Done>
  static bool eventually(Window& window, const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      window.wait_events(0.01);
    }
    return true;
  }
};

// Draws an image of one of the backend's methods into the window and reads it back.
void expect_picture_arrives(Window& window, Backend& backend, Message& note) {
  window.poll_events();
  const int width = window.width(), height = window.height();
  ASSERT_GT(width, 0);
  ASSERT_GT(height, 0);
  const auto buffer = PixelBuffer::make(backend, width, height, true, &note);
  ScreenQuad quad;
  const Pixels pixels = buffer->map();
  std::vector<std::uint32_t> golden(static_cast<std::size_t>(pixels.stride) * static_cast<std::size_t>(height));
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      golden[static_cast<std::size_t>(j) * static_cast<std::size_t>(pixels.stride) + static_cast<std::size_t>(i)] =
          rgba(static_cast<unsigned>(i * 7) & 255u, static_cast<unsigned>(j * 5) & 255u,
               static_cast<unsigned>(i ^ j) & 255u);
  backend.copy_from_host(pixels.data, golden.data(), golden.size() * sizeof(golden[0]));
  buffer->unmap();
  window.begin_frame();
  quad.draw(buffer->texture(true));
  const Picture got = window.read_back();
  window.end_frame();
  ASSERT_EQ(got.width, width);
  ASSERT_EQ(got.height, height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      ASSERT_EQ(
          got.pixels[static_cast<std::size_t>(j) * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)] |
              0xff000000u,
          golden[static_cast<std::size_t>(j) * static_cast<std::size_t>(pixels.stride) + static_cast<std::size_t>(i)])
          << i << ", " << j;
}

TEST_F(WindowContext, ShowsCpuImagePixelForPixel) {
  Window window(small());
  const auto backend = Backend::make_cpu(1);
  Message note;
  expect_picture_arrives(window, *backend, note);
  EXPECT_EQ(note, "");
}

// By interop or, if another GPU draws this window, by staged copies.
TEST_F(WindowContext, ShowsCudaImagePixelForPixel) {
  const CudaStatus status = cuda_status();
  if (!status.usable) GTEST_SKIP() << "no CUDA: " << status.reason.english();
  Window window(small());
  const auto backend = Backend::make_cuda();
  Message note;
  expect_picture_arrives(window, *backend, note);
  RecordProperty("renderer", window.gl_info().renderer);
  RecordProperty("note", note.english());
  if (window.gl_info().software) {
    EXPECT_NE(note.english().find("software"), std::string::npos) << note.english();
  }
}

TEST_F(WindowContext, ReportsSizeInFramebufferPixels) {
  Window window(small());
  EXPECT_GE(window.content_scale(), 0.5f);
  EXPECT_NEAR(window.width(), 320 * window.content_scale(), 1);
  EXPECT_GT(window.pixels_per_coordinate(), 0);
  GLint viewport[4] = {};
  window.begin_frame();
  glGetIntegerv(GL_VIEWPORT, viewport);
  EXPECT_EQ(viewport[2], window.width());
  EXPECT_EQ(viewport[3], window.height());
}

TEST_F(WindowContext, EntersAndLeavesFullscreen) {
  Window window(small());
  window.poll_events();
  const int width = window.width(), height = window.height();
  EXPECT_FALSE(window.fullscreen());
  window.set_fullscreen(true);
  EXPECT_TRUE(window.fullscreen());
  EXPECT_TRUE(eventually(window, [&] { return window.width() > width && window.height() > height; }));
  window.set_fullscreen(true);  // again: nothing happens
  window.set_fullscreen(false);
  EXPECT_FALSE(window.fullscreen());
  EXPECT_TRUE(eventually(window, [&] { return window.width() == width && window.height() == height; }));
}

// GLFW would minimise the window. Without a window manager it cannot, and reports that.
TEST_F(WindowContext, EntersFullscreenWithoutFocus) {
  Window other(small());
  Window window(small());
  window.set_fullscreen(true);
  glfwFocusWindow(window.handle());
  ASSERT_TRUE(eventually(window, [&] { return glfwGetWindowAttrib(window.handle(), GLFW_FOCUSED) == GLFW_TRUE; }));
  glfwGetError(nullptr);
  glfwFocusWindow(other.handle());
  ASSERT_TRUE(eventually(other, [&] { return glfwGetWindowAttrib(window.handle(), GLFW_FOCUSED) == GLFW_FALSE; }));
  window.poll_events();  // the display had it before the window
  const char* words = nullptr;
  EXPECT_EQ(glfwGetError(&words), GLFW_NO_ERROR) << words;
  EXPECT_EQ(glfwGetWindowAttrib(window.handle(), GLFW_ICONIFIED), GLFW_FALSE);
  EXPECT_TRUE(window.fullscreen());
}

TEST_F(WindowContext, ClosesOnRequest) {
  Window window(small());
  EXPECT_FALSE(window.should_close());
  window.request_close();
  EXPECT_TRUE(window.should_close());
}

TEST_F(WindowContext, AllowsLaterOffscreenContextAndWindow) {
  { Window window(small()); }
  {
    const auto offscreen = make_offscreen_context(8, 8);
    offscreen->begin_frame();
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_EQ(offscreen->read_back().pixels[0], rgba(0, 255, 0));
  }
  Window window(small());
  EXPECT_FALSE(window.gl_info().renderer.empty());
}

}  // namespace
}  // namespace perturb
