// Input faster than the frames: keys and clicks within one frame, in a real window.
#include <cmath>
#include <filesystem>
#include <string>

#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "tests/support/laid_out_panels.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowInput : public RealWindow {
 protected:
  // Keys 60 ms apart, as in typing.
  void keys(const std::vector<std::string>& names) {
    std::vector<std::string> words = {"key", "--delay", "60"};
    words.insert(words.end(), names.begin(), names.end());
    ASSERT_EQ(xdotool(words), 0) << output();
  }
  void clicks(int count) {
    ASSERT_EQ(xdotool({"click", "--repeat", std::to_string(count), "--delay", "60", "1"}), 0) << output();
  }
  State saved() {
    const std::filesystem::path file = saved_state();
    EXPECT_FALSE(file.empty()) << output();
    return file.empty() ? State{} : load_state(file.string());
  }
};

TEST_F(WindowInput, HandlesThreeClicksWithinOneFrame) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  move_to(layout_.transport.x + 109, layout_.transport.y + layout_.transport.height / 2);  // one step
  wait_for_frame();
  within_one_frame([this] { clicks(3); });
  wait_for_frame();
  EXPECT_EQ(saved().steps, 3);
}

TEST_F(WindowInput, HandlesDoubleClickAndTypedValueWithinOneFrame) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  LaidOutPanels panels(load_scene("wave/droplet"), layout_);
  const double x = layout_.column.x + 0.45 * layout_.column.width;
  const auto row = panels.row_to_type("damping", x);
  ASSERT_TRUE(row);
  move_to(x, *row);
  wait_for_frame();
  const double before = std::stod(saved().parameters.at("damping"));
  ASSERT_GT(std::abs(before - 0.0125), 1e-6);
  // At a first start values have the scene's units: 1/s is 0.004 per time unit of the simulation.
  // Each of these keys is a shortcut if no text field has the keyboard focus: views, steps, tools.
  within_one_frame([this] {
    clicks(2);
    keys({"3", "period", "1", "2", "5", "Return"});
  });
  wait_for_frame();
  const State after = saved();
  EXPECT_EQ(std::stod(after.parameters.at("damping")), 0.0125);
  EXPECT_EQ(after.steps, 0) << "a full stop is no step here";
  // The keyboard is free again at once: Enter, and a step.
  within_one_frame([this] {
    clicks(2);
    keys({"0", "Return", "period"});
  });
  wait_for_frame();
  const State stepped = saved();
  EXPECT_EQ(std::stod(stepped.parameters.at("damping")), 0);
  EXPECT_EQ(stepped.steps, 1);
  // Two double clicks without time between them for the program: the second one is the third and fourth click.
  within_one_frame([this] {
    clicks(2);
    keys({"5", "period", "0", "Return"});
    clicks(2);
    keys({"7", "period", "5", "Return", "period"});
  });
  wait_for_frame();
  const State twice = saved();
  EXPECT_EQ(std::stod(twice.parameters.at("damping")), 0.03);
  EXPECT_EQ(twice.steps, 2);
}

TEST_F(WindowInput, OpensFileByNameWithinOneFrame) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  keys({"n", "n", "n", "n", "n"});
  const std::filesystem::path file = saved_state();
  ASSERT_FALSE(file.empty());
  ASSERT_EQ(load_state(file.string()).steps, 5);
  // A name that consists of shortcuts: colour bar, restart, screenshot, panels.
  std::filesystem::rename(file, folder_ / "crph.perturb");
  key("r");
  wait_for_frame();
  within_one_frame([this] {
    keys({"ctrl+o", "c", "r", "p", "h", "period", "p", "e", "r", "t", "u", "r", "b", "Return"});
  });
  // The file browser stays until the file has been read; until then letters go to it.
  press_until_image_is_saved("p");
  const auto picture = screenshot();
  ASSERT_TRUE(picture);
  // A busy machine may take further presses for further images, whose names then end in -2 and so on.
  const std::string name = "perturb-wave-droplet-5";
  EXPECT_TRUE(last_name_ == name + ".png" || last_name_.starts_with(name + "-"))
      << last_name_ << " is not of the state of step 5";
  EXPECT_EQ(picture->width, layout_.viewport().width) << "the panels are still there";
}

TEST_F(WindowInput, HandlesKeysAndClicksOfFrameInOrder) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"wave/droplet", "--quantity", "height", "--range", "-0.2,0.2"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  // A droplet, then the wall tool, then a restart, another droplet: at the end there is one droplet, and no wall.
  move_to(layout_.view_rect.width * 0.4, layout_.view_rect.height * 0.3);
  const int x = pointer_x_, y = pointer_y_;
  within_one_frame([this] {
    clicks(1);
    keys({"2", "r", "1"});
    move_to(layout_.view_rect.width * 0.6, layout_.view_rect.height * 0.7);
    clicks(1);
  });
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1);
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 1.5);
  EXPECT_GT(d.at(x, y), 100);
}

}  // namespace
}  // namespace perturb
