// The offscreen context: reads back what is drawn, and reports in a message what is not available.
#include <string>

#include <glad/gl.h>
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/render/gl/context.h"
#include "app/render/gl/gl_objects.h"
#include "app/render/gl/window.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {
namespace {

// Calls `body` and returns the message that it threw, or an empty string.
template <class Failure, class Body>
std::string thrown_text(const Body& body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

TEST(OffscreenContext, DrawsWithoutADisplay) {
  const auto context = make_offscreen_context(64, 48);
  EXPECT_EQ(context->width(), 64);
  EXPECT_EQ(context->height(), 48);
  const GlInfo info = context->gl_info();
  RecordProperty("renderer", info.renderer);
  EXPECT_FALSE(info.version.empty());
  EXPECT_EQ(info.software,
            info.renderer.find("llvmpipe") != std::string::npos || info.renderer.find("softpipe") != std::string::npos)
      << info.renderer;
}

TEST(OffscreenContext, ReadsBackBottomRowFirst) {
  const auto context = make_offscreen_context(5, 3);
  context->begin_frame();
  glEnable(GL_SCISSOR_TEST);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 5; ++i) {
      glScissor(i, j, 1, 1);
      glClearColor(static_cast<float>(i) / 255, static_cast<float>(j) / 255, 7.f / 255, 1);
      glClear(GL_COLOR_BUFFER_BIT);
    }
  glDisable(GL_SCISSOR_TEST);
  const Picture picture = context->read_back();
  context->end_frame();
  ASSERT_EQ(picture.pixels.size(), 15u);
  for (unsigned j = 0; j < 3; ++j)
    for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(picture.pixels[j * 5 + i], rgba(i, j, 7)) << i << ", " << j;
}

TEST(OffscreenContext, IgnoresForeignPackState) {
  const auto context = make_offscreen_context(7, 2);
  context->begin_frame();
  glClearColor(1, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glPixelStorei(GL_PACK_ROW_LENGTH, 100);
  glPixelStorei(GL_PACK_SKIP_ROWS, 1);
  glPixelStorei(GL_PACK_ALIGNMENT, 8);
  for (std::uint32_t pixel : context->read_back().pixels) EXPECT_EQ(pixel, rgba(255, 0, 0));
}

TEST(OffscreenContext, CanBeRecreatedAndCoexist) {
  auto first = make_offscreen_context(8, 8);
  first.reset();
  first = make_offscreen_context(8, 8);
  first->begin_frame();
  glClearColor(0, 1, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  {
    const auto second = make_offscreen_context(4, 4);
    second->begin_frame();
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_EQ(second->read_back().pixels[0], rgba(0, 0, 255));
  }
  first->begin_frame();
  EXPECT_EQ(first->read_back().pixels[0], rgba(0, 255, 0));
}

TEST(OffscreenContext, RejectsSizesThatCannotBeDrawn) {
  EXPECT_NE(thrown_text<InputError>([] { make_offscreen_context(0, 10); }).find("0x10"), std::string::npos);
  EXPECT_NE(thrown_text<InputError>([] { make_offscreen_context(10, -1); }).find("10x-1"), std::string::npos);
  const std::string message = thrown_text<InputError>([] { make_offscreen_context(1 << 20, 16); });
  EXPECT_NE(message.find("1048576x16"), std::string::npos) << message;
  EXPECT_NE(message.find("pixels per side"), std::string::npos) << message;
}

TEST(OpenGlErrors, NameTheFailedOperation) {
  const auto context = make_offscreen_context(8, 8);
  EXPECT_NO_THROW(gl_check("doing nothing"));
  glEnable(0x1234);
  const std::string message = thrown_text<Error>([] { gl_check("testing"); });
  EXPECT_NE(message.find("while testing"), std::string::npos) << message;
  EXPECT_NE(message.find("GL_INVALID_ENUM"), std::string::npos) << message;
  EXPECT_NO_THROW(gl_check("going on")) << "an error is reported once";
}

TEST(OpenGlErrors, QuoteShaderCompiler) {
  const auto context = make_offscreen_context(8, 8);
  const std::string message = thrown_text<Error>([] {
    make_program("broken", "#version 330 core\nvoid main() { gl_Position = nonsense; }",
                 "#version 330 core\nvoid main() {}");
  });
  EXPECT_NE(message.find("vertex shader of \"broken\""), std::string::npos) << message;
  EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
}

TEST(OpenGlObjects, MoveAndDeleteOnce) {
  const auto context = make_offscreen_context(8, 8);
  GlBuffer buffer = GlBuffer::make();
  const GLuint name = buffer.name();
  glBindBuffer(GL_ARRAY_BUFFER, name);  // a name becomes a buffer when it is first bound
  GlBuffer moved = std::move(buffer);
  EXPECT_EQ(buffer.name(), 0u);
  EXPECT_EQ(moved.name(), name);
  EXPECT_TRUE(glIsBuffer(name));
  moved = GlBuffer();
  EXPECT_FALSE(glIsBuffer(name));
  const GlSync sync = GlSync::here();
  EXPECT_TRUE(sync.wait(5));
  EXPECT_TRUE(sync.passed());
}

TEST(Window, SuggestsASizeThatSuitsTheScreen) {
  const auto place = [](int width, int height) { return Window::suggested_place({100, 30, width, height}); };
  const WindowOptions::Place large = place(2560, 1400);
  EXPECT_EQ(large.width, 2048);
  EXPECT_EQ(large.height, 1120);
  EXPECT_EQ(large.x, 100 + 256);
  EXPECT_EQ(large.y, 30 + 140);
  const WindowOptions::Place laptop = place(1366, 740), small = place(1024, 600), wide = place(5120, 1440);
  EXPECT_EQ(laptop.width, 1280);
  EXPECT_EQ(laptop.height, 720);
  EXPECT_EQ(small.width, 1024) << "never larger than the screen";
  EXPECT_EQ(small.height, 600);
  EXPECT_EQ(wide.width, 2 * wide.height);
}

#if defined(__linux__)
TEST(Window, ExplainsWhyItIsUnavailable) {
  // In its own process: GLFW, once started, does not check again.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        unsetenv("DISPLAY");
        unsetenv("WAYLAND_DISPLAY");
        const bool message = Window::unavailable_reason().english().find("--headless") != std::string::npos;
        const bool thrown = !thrown_text<Error>([] { Window window{WindowOptions{}}; }).empty();
        _exit(message && thrown ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        unsetenv("WAYLAND_DISPLAY");
        setenv("DISPLAY", ":9999", 1);
        const std::string message = Window::unavailable_reason().english();
        _exit(message.find("DISPLAY") != std::string::npos && message.find("--headless") != std::string::npos ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// GLFW before 3.4 has builds for X11 or Wayland only. The test knows by its version which one is installed.
TEST(Window, NamesXwaylandWhereGlfwNeedsX11) {
  if (std::string_view(glfwGetVersionString()).find("Wayland") != std::string_view::npos)
    GTEST_SKIP() << "this GLFW opens windows on Wayland";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        unsetenv("DISPLAY");
        setenv("WAYLAND_DISPLAY", "wayland-0", 1);
        const std::string message = Window::unavailable_reason().english();
        const bool is_right = message.find("Xwayland") != std::string::npos &&
                              message.find("libglfw3-wayland") != std::string::npos &&
                              message.find("--headless") != std::string::npos;
        _exit(is_right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace perturb
