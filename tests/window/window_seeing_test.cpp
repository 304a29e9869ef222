// Drawn over the view in the real window: a second quantity, the draggable hint, and a page about the scene. Also the
// icon that the desktop shows.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/io/image/recorder.h"
#include "app/io/preset/presets.h"
#include "app/session/session.h"
#include "app/ui/panels/panels.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/gui.h"
#include "app/window/window_images.h"
#include "tests/support/drawn_text.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

// The same window without a screen, with the same input.
class HeadlessSceneWindow {
 public:
  HeadlessSceneWindow(const std::string& scene, const Layout& layout)
      : layout_(layout), experiment_(*backend_, load_scene(scene)) {
    frames();
  }
  Session& session() { return session_; }
  void frames() {
    for (int k = 0; k < 4; ++k) frame();
  }
  void click(double x, double y) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
    for (const bool down : {false, true, false, false, false}) {
      io.MouseDown[0] = down;
      frame();
    }
  }
  std::optional<Rect> position_of(const std::string& words) const {
    for (const DrawnText& text : drawn_text())
      if (text.text.starts_with(words)) return text.box;
    ADD_FAILURE() << "nothing says " << words;
    return std::nullopt;
  }
  Rect hint() { return hint_; }

 private:
  void frame() {
    session_.handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    session_.observe(true);
    gui_.begin_frame(layout_, 1.0 / 60);
    panels_.draw(session_, gui_.style(), layout_, display_);
    hint_ = hint_rect(panels_.arguments(session_, gui_.style(), layout_, display_));
    gui_.end_frame();
  }

  Layout layout_;
  DisplayInfo display_{"host-mapped", ""};
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
  Experiment experiment_;
  Session session_{experiment_, 1};
  Panels panels_;
  Rect hint_;
};

class WindowSeeing : public RealWindow {
 protected:
  void click_text(HeadlessSceneWindow& headless, const std::string& words) {
    const auto at = headless.position_of(words);
    ASSERT_TRUE(at);
    const double x = at->x + at->width / 2, y = at->y + at->height / 2;
    move_to(x, y);
    wait_for_frame();
    click(1);
    wait_for_frame();
    headless.click(x, y);
  }
};

TEST_F(WindowSeeing, ShowsContourLinesChosenInViewTab) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  // High enough for the whole tab.
  start_command({"wave/lens", "--colormap", "grey"}, 1280, 880);
  const auto before = paused_image();
  ASSERT_TRUE(before);
  HeadlessSceneWindow headless("wave/lens", layout_);
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

TEST_F(WindowSeeing, DragsHintAndDescribesViewOnF7) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  start({"wave/lens"});
  HeadlessSceneWindow headless("wave/lens", layout_);
  const Rect hint = headless.hint();
  ASSERT_GT(hint.width, 0);
  key("n");  // pauses, so that it stays
  wait_for_frame();
  const auto before = capture_window();
  const double x = hint.x + 30, y = hint.y + 12;
  drag(1, x, y, x, y + 200);
  wait_for_frame();
  const auto after = capture_window();
  // The view is visible at its old position, and its text at the new one.
  const auto differ = [&](double from, double to) {
    int count = 0;
    for (int row = static_cast<int>(from); row < to; ++row)
      for (int column = static_cast<int>(hint.x); column < hint.x + hint.width; ++column) {
        const std::size_t k = 3 * (static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column));
        count += before.at(k) != after.at(k);
      }
    return count;
  };
  EXPECT_GT(differ(hint.y, hint.y + hint.height), 500);
  EXPECT_GT(differ(hint.y + 200, hint.y + 200 + hint.height), 500);
  key("F7");
  wait_for_frame();
  EXPECT_NE(capture_window(), after) << "the page is there";
  key("F7");
  wait_for_frame();
  quit();
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
