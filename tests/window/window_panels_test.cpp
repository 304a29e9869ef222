// Dialogs and panels over the view in a real window: which closes first, what Tab hides, the messages; and that a
// paused view does not change.
#include <cmath>
#include <fstream>
#include <vector>

#include "tests/support/real_window.h"

namespace perturb {
namespace {

class WindowPanels : public RealWindow {
 protected:
  void SetUp() override {
    RealWindow::SetUp();
    if (!IsSkipped() && cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  }
  // The scene's title, which opens the list of scenes.
  void open_scene_list() {
    move_to(layout_.column.x + 110, 31);
    wait_for_frame();
    click(1);
    wait_for_frame();
    rest();
  }
  // Moves the pointer away from everything, so that no tooltip is open.
  void rest() {
    move_to(5, layout_.view_rect.height / 2);
    wait_for_frame();
  }
  // Number of pixels that differ between two captures of the window, within a rectangle.
  static int changed(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, const Rect& box) {
    int count = 0;
    for (int y = static_cast<int>(box.y); y < static_cast<int>(box.y + box.height); ++y)
      for (int x = static_cast<int>(box.x); x < static_cast<int>(box.x + box.width); ++x) {
        const std::size_t k = 3 * (static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
        count += a.at(k) != b.at(k) || a.at(k + 1) != b.at(k + 1) || a.at(k + 2) != b.at(k + 2);
      }
    return count;
  }
  // The upper part of the panels, where the list of scenes opens, and the middle of the view, where dialogs open.
  Rect lists() const { return {layout_.column.x + 8, 60, layout_.column.width - 16, 420}; }
  Rect dialogs() const {
    return {0.3 * layout_.view_rect.width, 0.3 * layout_.view_rect.height, 0.4 * layout_.view_rect.width,
            0.4 * layout_.view_rect.height};
  }
};

TEST_F(WindowPanels, EscClosesTopmostFirst) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  rest();
  const auto nothing = capture_window();
  key("F1");
  rest();
  const auto help = capture_window();
  ASSERT_GT(changed(nothing, help, dialogs()), 1000) << "help is open";
  open_scene_list();
  const auto both = capture_window();
  ASSERT_GT(changed(help, both, lists()), 1000) << "the list is open";
  EXPECT_EQ(changed(help, both, dialogs()), 0) << "help stays open behind it";
  key("Escape");
  rest();
  const auto first = capture_window();
  EXPECT_EQ(changed(help, first, lists()), 0) << "the list is closed";
  EXPECT_EQ(changed(help, first, dialogs()), 0) << "and help is not";
  key("Escape");
  rest();
  const auto second = capture_window();
  EXPECT_EQ(changed(nothing, second, dialogs()), 0) << "now help is closed";
  // The same for both within one frame.
  key("F1");
  open_scene_list();
  ASSERT_GT(changed(nothing, capture_window(), lists()), 1000);
  within_one_frame([this] { ASSERT_EQ(xdotool({"key", "--delay", "60", "Escape", "Escape"}), 0); });
  rest();
  const auto third = capture_window();
  EXPECT_EQ(changed(nothing, third, lists()), 0);
  EXPECT_EQ(changed(nothing, third, dialogs()), 0);
}

TEST_F(WindowPanels, ClosesListWithItsScene) {
  start({"wave/droplet", "--quantity", "height", "--range", "-0.2,0.2"});
  ASSERT_TRUE(paused_image());
  open_scene_list();
  key("bracketright");
  key("bracketleft");  // the same scene again, restarted
  const auto before = paused_image();
  ASSERT_TRUE(before);
  move_to(layout_.view_rect.width * 0.4, layout_.view_rect.height * 0.3);
  wait_for_frame();
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  EXPECT_GT(difference(*before, *after).weight, 1) << "an open list would have taken the click";
}

TEST_F(WindowPanels, TabDoesNotAffectView) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  key("Tab");
  rest();
  const auto expect_picture_alone = [this](bool alone) {
    const auto picture = screenshot();
    ASSERT_TRUE(picture);
    // It contains the tank, in the middle of the window; beside it is the colour of the area around.
    ASSERT_LE(picture->width, width);
    ASSERT_EQ(picture->height, height);
    const int left = (width - picture->width) / 2;
    constexpr double around = 24;
    const auto rgb = capture_window();
    ASSERT_FALSE(rgb.empty());
    constexpr int tint = 8;  // the area around the tank is not exactly grey
    int strange = 0;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int column = x - left;
        const std::size_t at = static_cast<std::size_t>((height - 1 - y) * picture->width + column);
        const double grey =
            column < 0 || column >= picture->width ? around : 255 * static_cast<double>(picture->values[at]);
        const std::size_t k = 3 * static_cast<std::size_t>(y * width + x);
        strange += std::abs(rgb[k] - grey) > tint || std::abs(rgb[k + 2] - grey) > tint;
      }
    if (alone) {
      EXPECT_EQ(strange, 0) << "pixels of the window that are not the picture's";
    } else {
      EXPECT_GT(strange, 500);
    }
  };
  expect_picture_alone(true);
  // The key for the colour bar still shows it on request.
  key("c");
  rest();
  expect_picture_alone(false);
  key("c");
  rest();
  expect_picture_alone(true);
}

TEST_F(WindowPanels, ViewIsIdleWhilePaused) {
  // Its range follows the data: waves that decay after the first splash.
  std::ofstream(folder_ / "splash.toml") << R"(simulation = "wave"
size = [128, 128]
steps_per_frame = 64
[parameters]
damping = 0.01
[view]
quantity = "height"
automatic = true
[[action]]
kind = "droplet"
x = 0.5
y = 0.5
amplitude = 1
)";
  start({"splash.toml"});
  ASSERT_TRUE(eventually([&] { return screenshot() && step() > 600; }));
  key("space");
  ASSERT_TRUE(screenshot());
  const long paused = step();
  const auto first = screenshot();
  ASSERT_TRUE(first);
  ASSERT_EQ(step(), paused);
  for (int i = 0; i < 3; ++i) {
    const auto next = screenshot();
    ASSERT_TRUE(next);
    EXPECT_EQ(step(), paused);
    EXPECT_TRUE(next->values == first->values) << "the same state, and another picture";
  }
}

TEST_F(WindowPanels, SuggestsQuantityThatShowsDye) {
  start({"lbm/cylinder", "--size", "200x100"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  key("3");
  move_to(layout_.view_rect.width * 0.6, layout_.view_rect.height * 0.6);
  key("Escape");  // the hint
  wait_for_frame();
  const auto silent = capture_window();
  click(1);
  wait_for_frame();
  const auto unseen = screenshot();
  ASSERT_TRUE(unseen);
  EXPECT_EQ(difference(*before, *unseen).weight, 0) << "vorticity knows no dye";
  const auto said = capture_window();
  const Rect top{0, 0, layout_.view_rect.width, 80};
  ASSERT_GT(changed(silent, said, top), 1000) << "it is said where dye shows";
  // The button is the accent's blue.
  double x = 0, y = 0;
  int count = 0;
  for (int j = 0; j < 80; ++j)
    for (int i = 0; i < static_cast<int>(layout_.view_rect.width); ++i) {
      const std::size_t k = 3 * (static_cast<std::size_t>(j) * width + static_cast<std::size_t>(i));
      if (said[k] == 88 && said[k + 1] == 178 && said[k + 2] == 226) {
        x += i;
        y += j;
        ++count;
      }
    }
  ASSERT_GT(count, 500);
  const int dropped_x = pointer_x_, dropped_y = pointer_y_;
  move_to(x / count, y / count);
  wait_for_frame();
  click(1);
  move_to(dropped_x, dropped_y);
  wait_for_frame();
  const auto dye = screenshot();
  ASSERT_TRUE(dye);
  // Apart from the dye, the darkest image possible.
  double bright = 0, bright_x = 0, bright_y = 0;
  for (int j = 0; j < dye->height; ++j)
    for (int i = 0; i < dye->width; ++i) {
      const double v =
          dye->values[static_cast<std::size_t>(j) * static_cast<std::size_t>(dye->width) + static_cast<std::size_t>(i)];
      if (std::hypot(i - dropped_x, dye->height - 1 - j - dropped_y) > 60) continue;
      bright += v;
      bright_x += v * i;
      bright_y += v * (dye->height - 1 - j);
    }
  ASSERT_GT(bright, 10) << "the dye is seen";
  EXPECT_NEAR(bright_x / bright, dropped_x, 3);
  EXPECT_NEAR(bright_y / bright, dropped_y, 3);
}

}  // namespace
}  // namespace perturb
