// The program in a real window, operated with a real pointer.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowUi : public RealWindow {
 protected:
  // The tank, coloured by its height: the middle of a droplet is then its darkest position.
  void start_tank(std::vector<std::string> more = {}, int scale = 1) {
    std::vector<std::string> arguments = {"wave/droplet", "--quantity", "height", "--range", "-0.2,0.2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    start(arguments, scale);
  }
  // Clicks at this point. The droplet that the click makes is seen there.
  Difference expect_droplet(const GreyImage& before, double x, double y, double max_distance = 1.5) {
    move_to(x, y);
    click(1);
    const auto after = screenshot();
    if (!after) {
      ADD_FAILURE() << "no image after the click";
      return {};
    }
    const Difference d = difference(before, *after);
    EXPECT_GT(d.weight, 1) << "a droplet is seen";
    EXPECT_LT(d.at(pointer_x_, pointer_y_), max_distance) << "pixels next to the pointer";
    return d;
  }
};

TEST_F(WindowUi, ShowsClickWhereItWasMade) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start_tank();
  const auto before = paused_image();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, layout_.viewport().width) << "the picture without the panels";
  EXPECT_EQ(before->height, layout_.viewport().height);
  const Difference d = expect_droplet(*before, layout_.view_rect.width * 0.37, layout_.view_rect.height * 0.29);
  EXPECT_LT(d.radius, 40);

  // The right button does the opposite: the water is then as before.
  click(3);
  const auto undone = screenshot();
  ASSERT_TRUE(undone);
  EXPECT_LT(difference(*before, *undone).weight, 0.05 * d.weight);
  quit();
}

TEST_F(WindowUi, ShowsClickNextToLargePanels) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start_tank({}, 2);
  const auto before = paused_image();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, layout_.viewport().width);
  expect_droplet(*before, layout_.view_rect.width * 0.7, layout_.view_rect.height * 0.4);
}

TEST_F(WindowUi, ShowsClickAfterZoomWithoutPanels) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start_tank();
  key("Tab");  // the view fills the window
  move_to(0.62 * width, 0.31 * height);
  for (int i = 0; i < 9; ++i) click(4);
  const auto before = paused_image();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, width);
  EXPECT_EQ(before->height, height);
  // The droplet's middle may be that of the cell, which is now several pixels wide.
  const double pixels_per_cell = std::pow(1.15, 9) * height / 512.0;
  expect_droplet(*before, 0.41 * width, 0.66 * height, 0.5 * std::sqrt(2.0) * pixels_per_cell + 1);
}

TEST_F(WindowUi, ShowsClickInResizedWindow) {
  start_tank();
  constexpr int new_width = 910, new_height = 633;
  ASSERT_EQ(xdotool({"search", "--onlyvisible", "--class", "perturb", "windowsize", std::to_string(new_width),
                     std::to_string(new_height)}),
            0);
  layout_ = make_layout(new_width, new_height, 1, 1, true);
  std::shared_ptr<const GreyImage> before;
  patiently([&] {
    before = paused_image();
    return !before || before->width == layout_.viewport().width;
  });
  ASSERT_TRUE(before);
  ASSERT_EQ(before->width, layout_.viewport().width);
  ASSERT_EQ(before->height, layout_.viewport().height);
  expect_droplet(*before, layout_.view_rect.width * 0.6, layout_.view_rect.height * 0.7);
}

TEST_F(WindowUi, DrawsFastDragWithoutGaps) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start_tank();
  const auto before = paused_image();
  ASSERT_TRUE(before);
  const double y = layout_.view_rect.height * 0.2, left = layout_.view_rect.width * 0.35,
               right = layout_.view_rect.width * 0.65;
  move_to(left, y);
  ASSERT_EQ(xdotool({"mousedown", "1", "mousemove", std::to_string(static_cast<int>(right)),
                     std::to_string(static_cast<int>(y)), "mouseup", "1"}),
            0);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  int columns = 0, marked = 0;
  for (int i = static_cast<int>(left); i <= static_cast<int>(right); ++i, ++columns) {
    const std::size_t k =
        static_cast<std::size_t>(before->height - 1 - static_cast<int>(y)) * static_cast<std::size_t>(before->width) +
        static_cast<std::size_t>(i);
    marked += std::abs(after->values[k] - before->values[k]) > 0.01;
  }
  EXPECT_EQ(marked, columns) << "every column between press and release shows the stroke";
}

TEST_F(WindowUi, PanelsRespondWhileRunContinues) {
  start_tank();
  // The play button pauses: two images of the same step.
  move_to(layout_.transport.x + 69, layout_.transport.y + layout_.transport.height / 2);
  click(1);
  std::string name;
  ASSERT_TRUE(screenshot());
  for (int i = 0; i < 10 && name != last_name_; ++i) {
    name = last_name_;
    ASSERT_TRUE(screenshot());
  }
  EXPECT_EQ(name, last_name_);
  // One step by key: the next file is one step further.
  key("period");
  ASSERT_TRUE(screenshot());
  EXPECT_NE(name, last_name_);
  const auto step_of = [](const std::string& file) { return std::atol(file.c_str() + file.rfind('-') + 1); };
  EXPECT_EQ(step_of(last_name_), step_of(name) + 1);
  // The next scene has another name.
  key("bracketright");
  ASSERT_TRUE(screenshot());
  EXPECT_EQ(last_name_.find("perturb-wave-droplet-"), std::string::npos);
}

TEST_F(WindowUi, ExitsAfterGivenNumberOfFrames) {
  SKIP_UNDER_SANITIZERS("the tests without a window cover this code");
  start_tank({"--frames", "30", "--report-first-frame"});
  EXPECT_TRUE(eventually([this] { return program_->ended(); }));
  EXPECT_EQ(program_->code(), 0) << output();
  EXPECT_NE(output().find("first frame after "), std::string::npos) << output();
}

TEST_F(WindowUi, ExitsCleanlyOnSignal) {
  start_tank();
  kill(program_->id(), SIGTERM);
  EXPECT_TRUE(eventually([&] { return program_->ended(); }));
  EXPECT_EQ(program_->code(), 0) << output();
}

}  // namespace
}  // namespace perturb
