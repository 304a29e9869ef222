// Keyboard and views in a real window: the crosshair in place of the mouse, a straight line, a presentation.
#include <cmath>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "app/ui/widgets/palette.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowDoing : public RealWindow {
 protected:
  void start_tank(int window_width, int window_height, int scale, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"wave/droplet", "--quantity", "height", "--range",
                                      "-0.2,0.2",     "--colormap", "grey"};
    words.insert(words.end(), more.begin(), more.end());
    start_command(words, window_width, window_height, scale);
  }
};

TEST_F(WindowDoing, ArrowsAndEnterActAtCrosshair) {
  for (const auto& [w, h, scale] : {std::tuple{1280, 720, 1}, {1024, 768, 2}}) {
    SCOPED_TRACE(w);
    if (program_) {
      TearDown();
      SetUp();
    }
    start_tank(w, h, scale);
    const auto before = paused_image();
    ASSERT_TRUE(before);
    const double x = pointer_x_, y = pointer_y_, step = layout_.view_rect.height / 40;
    for (const char* name : {"Right", "Right", "Right", "Up", "Up"}) key(name);
    key("Return");
    const auto after = screenshot();
    ASSERT_TRUE(after);
    const Difference d = difference(*before, *after);
    EXPECT_GT(d.weight, 1) << "a droplet is seen";
    EXPECT_LT(d.at(std::floor(x + 3 * step), std::floor(y - 2 * step)), 2.5) << "pixels next to the crosshair";
  }
}

TEST_F(WindowDoing, DrawsStraightStrokeWithShift) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start_tank(1280, 720, 1);
  const auto before = paused_image();
  ASSERT_TRUE(before);
  key("2");  // the wall tool
  const double y = layout_.view_rect.height * 0.3, left = layout_.view_rect.width * 0.4,
               right = layout_.view_rect.width * 0.6;
  move_to(left, y);
  // By a detour far from the line.
  ASSERT_EQ(xdotool({"keydown", "shift", "mousedown", "1", "mousemove", std::to_string(static_cast<int>(left)),
                     std::to_string(static_cast<int>(y + 200)), "mousemove", std::to_string(static_cast<int>(right)),
                     std::to_string(static_cast<int>(y)), "mouseup", "1", "keyup", "shift"}),
            0);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  int below = 0, along = 0;
  for (int row = 0; row < after->height; ++row)
    for (int column = 0; column < after->width; ++column) {
      const std::size_t k =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(after->width) + static_cast<std::size_t>(column);
      if (std::abs(after->values[k] - before->values[k]) < 0.02f) continue;
      const double from_line = after->height - 1 - row - y;
      (std::abs(from_line) < 12 ? along : below) += 1;
    }
  EXPECT_GT(along, 0.9 * (right - left));
  EXPECT_EQ(below, 0) << "nothing lies on the detour";
}

TEST_F(WindowDoing, AppliesThemesAndPresentation) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  start({"wave/droplet", "--theme", "light"});
  ASSERT_TRUE(paused_image());
  wait_for_frame();
  const auto ink_at = [](const std::vector<std::uint8_t>& pixels, double x, double y) {
    const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
    return IM_COL32(pixels.at(k), pixels.at(k + 1), pixels.at(k + 2), 255);
  };
  const Palette& light = palette_of(Theme::light);
  const double in_column = layout_.column.x + 4, top = 4;
  const auto panels = capture_window();
  EXPECT_EQ(ink_at(panels, in_column, top), light.panel);
  EXPECT_EQ(ink_at(panels, 3, layout_.view_rect.height / 2), light.outside_domain) << "next to the tank";
  key("F5");
  wait_for_frame();
  const auto shown = capture_window();
  EXPECT_NE(ink_at(shown, in_column, top), light.panel) << "the picture is there";
  // The background of the caption, in the lower left corner.
  int letters = 0;
  for (int y = height - 70; y < height - 14; ++y)
    for (int x = 14; x < 300; ++x) letters += ink_at(shown, x, y) == light.text;
  EXPECT_GT(letters, 50);
  key("Escape");
  wait_for_frame();
  EXPECT_EQ(ink_at(capture_window(), in_column, top), light.panel);
}

// A projector must not lock the screen during a lecture.
TEST_F(WindowDoing, HoldsOffTheScreenSaverInPresentationAndFullScreen) {
  SKIP_UNDER_SANITIZERS("starts another program; nothing else differs");
  // Records what the desktop would be asked.
  const std::filesystem::path program = folder_ / "bin/xdg-screensaver", asked = folder_ / "asked";
  std::filesystem::create_directories(program.parent_path());
  std::ofstream(program) << "#!/bin/sh\necho \"$1 $2\" >> '" << asked.string() << "'\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (program.parent_path().string() + ":" + path).c_str(), 1);
  start({"wave/droplet"});
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(paused_image());
  EXPECT_FALSE(std::filesystem::exists(asked)) << "a window alone does not";
  const auto expect_asked = [&](const char* name, const std::string& words) {
    key(name);
    EXPECT_TRUE(eventually([&] {
      const std::string all = text_of(asked);
      const std::size_t last = all.size() < 2 ? 0 : all.rfind('\n', all.size() - 2);
      return all.substr(last == std::string::npos ? 0 : last).find(words + " 0x") != std::string::npos;
    })) << name
        << ": " << text_of(asked);
  };
  expect_asked("F5", "suspend");
  expect_asked("Escape", "resume");
  expect_asked("F11", "suspend");
  expect_asked("F11", "resume");
}

TEST_F(WindowDoing, ShowsKeyboardFocusInPanel) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  wait_for_frame();
  const auto ring = [this] {
    const std::vector<std::uint8_t> pixels = capture_window();
    const ImU32 ink = palette_of(Theme::dark).accent_bright;
    int count = 0;
    for (int y = 0; y < height; ++y)
      for (int x = static_cast<int>(layout_.column.x); x < width; ++x) {
        const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
        count += IM_COL32(pixels.at(k), pixels.at(k + 1), pixels.at(k + 2), 255) == ink;
      }
    return count;
  };
  const int before = ring();
  key("F6");
  key("Down");
  wait_for_frame();
  EXPECT_GT(ring(), before + 50) << "a ring around what the arrows have reached";
  const auto closed = capture_window();
  // Up to the top, which is the list of scenes; Enter opens it.
  for (int i = 0; i < 12; ++i) key("Up");
  key("Left");
  wait_for_frame();
  key("Return");
  wait_for_frame();
  const auto open = capture_window();
  int differ = 0;
  for (int y = 60; y < 400; ++y)
    for (int x = static_cast<int>(layout_.column.x) + 8; x < width - 8; ++x) {
      const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
      differ += closed.at(k) != open.at(k);
    }
  EXPECT_GT(differ, 1000) << "the list hangs over the panel";
  key("Escape");
  key("Escape");
  wait_for_frame();
  EXPECT_LE(ring(), before + 10) << "and out again";
}

}  // namespace
}  // namespace perturb
