// A second quantity over the view in the real window, keys after a dialog, and the icon that the desktop shows.
#include <fstream>
#include <iterator>
#include <string>

#include "app/io/files/process.h"
#include "app/io/preset/presets.h"
#include "app/window/window_images.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"
#include "tests/window/headless_window.h"

namespace perturb {
namespace {

class WindowSeeing : public RealWindow {
 protected:
  void click_text(HeadlessWindow& headless, const std::string& words) {
    const auto at = headless.position_of(words);
    ASSERT_TRUE(at);
    move_to(at->x, at->y);
    wait_for_frame();
    click(1);
    wait_for_frame();
    headless.click(*at);
  }
};

TEST_F(WindowSeeing, ShowsContourLinesChosenInViewTab) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  // High enough for the whole tab.
  start_command({"wave/lens", "--colormap", "grey"}, 1280, 880);
  const auto before = paused_image();
  ASSERT_TRUE(before);
  HeadlessWindow headless(load_scene("wave/lens"), layout_);
  click_text(headless, "View");
  click_text(headless, "Layer");
  click_text(headless, "Speed map");
  ASSERT_EQ(headless.session().view().settings().layer.quantity, "speed");
  const auto lined = screenshot();
  ASSERT_TRUE(lined);
  // The lens is at its position in the preset: the pixels that differ are near its outline.
  const perturb::Setup setup = load_scene("wave/lens").setup;
  const Viewport view = layout_.viewport();
  for (const Action& action : setup.actions) {
    if (action.kind != "lens") continue;
    const auto middle =
        Camera().to_pixel(action.get("x"), action.get("y"), view.width, view.height, setup.width, setup.height);
    const auto rim = Camera().to_pixel(action.get("x") + action.get("radius_x"), action.get("y"), view.width,
                                       view.height, setup.width, setup.height);
    const Difference d = difference(*before, *lined);
    EXPECT_GT(d.weight, 1);
    EXPECT_LT(d.at(middle.x, layout_.view_rect.height - middle.y), 12) << "about the middle of the lens";
    EXPECT_GT(d.radius, rim.x - middle.x);
  }
  click_text(headless, "Layer");
  click_text(headless, "No layer");
  const auto plain = screenshot();
  ASSERT_TRUE(plain);
  EXPECT_EQ(difference(*before, *plain).weight, 0) << "and is taken away again";
}

// Keys and clicks in a dialog do not affect the panels, and Space still controls the run.
TEST_F(WindowSeeing, SpacePlaysAfterDialogCloses) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  start({"wave/double-slit"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  key("ctrl+e");
  wait_for_frame();
  const Rect& view_rect = layout_.view_rect;
  move_to(view_rect.x + 0.5 * view_rect.width, view_rect.y + 0.5 * view_rect.height);
  click(1);
  wait_for_frame();
  for (const char* name : {"Tab", "Down", "Escape", "Down", "ctrl+r"}) {
    key(name);
    wait_for_frame();
  }
  key("space");
  for (int k = 0; k < 4; ++k) wait_for_frame();
  const auto after = screenshot();
  ASSERT_TRUE(after);
  EXPECT_GT(difference(*before, *after).weight, 0) << "the run did not go on";
}

TEST_F(WindowSeeing, SetsWindowIcon) {
  const Picture icon = window_icon();
  EXPECT_EQ(icon.width, 256);
  EXPECT_EQ(icon.height, 256);
  // Rings on water: opaque in the middle, and of more than one colour.
  const auto at = [&](int x, int y) {
    return icon.pixels[static_cast<std::size_t>(y) * 256 + static_cast<std::size_t>(x)];
  };
  EXPECT_EQ(at(128, 128) >> 24, 255U);
  EXPECT_NE(at(128, 128), at(60, 128));
  if (find_program("xprop").empty()) GTEST_SKIP() << "xprop is not installed: the window property cannot be read";
  start({"wave/droplet"});
  Process probe({"sh", "-c",
                 "xprop -display '" + display_ + "' -id $(DISPLAY='" + display_ +
                     "' xdotool search --onlyvisible --class perturb | head -1) 32c _NET_WM_ICON > '" +
                     (folder_ / "icon").string() + "'"},
                folder_, {});
  ASSERT_TRUE(eventually([&] { return probe.ended(); }));
  std::ifstream file(folder_ / "icon");
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(words.find("256"), std::string::npos) << words.substr(0, 200);
}

}  // namespace
}  // namespace perturb
