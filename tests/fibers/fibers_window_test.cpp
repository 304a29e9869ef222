// Falling fibers in a real window: dropped, viewed from another direction and pulled with a real pointer.
#include "app/io/state/state_file.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb::fibers {
namespace {

class WindowFibers : public RealWindow {};

TEST_F(WindowFibers, ARightClickDropsAFiberWhereThePointerIs) {
  // Fibers that do not feel each other, in a picture that stays where it is: all that changes is the new one.
  start({"fibers/lone", "--set", "follow=0"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  move_to(layout_.view_rect.width * 0.72, layout_.view_rect.height * 0.2);
  click(3);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1) << "a fiber is seen";
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 3) << "pixels between the fiber's middle and the pointer";
  const std::filesystem::path file = saved_state();
  ASSERT_FALSE(file.empty()) << output();
  EXPECT_EQ(load_state(file.string()).width, 4);
}

TEST_F(WindowFibers, TheMiddleButtonOrbitsAndTheLeftOnePulls) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"fibers/cloud", "--size", "30x1", "--set", "views=side"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  const double x = layout_.view_rect.width * 0.5, y = layout_.view_rect.height * 0.5;
  drag(2, x, y, x + 150, y - 60);
  const auto turned = screenshot();
  ASSERT_TRUE(turned);
  EXPECT_GT(difference(*before, *turned).weight, 10) << "seen from another side";
  // Back with Space and the left button, as on a touchpad: it is the same turn, and pulls at nothing.
  ASSERT_EQ(xdotool({"keydown", "space"}), 0);
  drag(1, x + 150, y - 60, x, y);
  ASSERT_EQ(xdotool({"keyup", "space"}), 0);
  const auto back = screenshot();
  ASSERT_TRUE(back);
  EXPECT_EQ(difference(*before, *back).weight, 0) << "the first view again, and still at rest";
  // The pull lasts while the button is down: one step within it moves the fibers otherwise than one without.
  key("n");
  const auto free = screenshot();
  key("r");
  ASSERT_EQ(xdotool({"mousemove", std::to_string(static_cast<int>(x)), std::to_string(static_cast<int>(y))}), 0);
  ASSERT_EQ(xdotool({"mousedown", "1"}), 0);
  ASSERT_EQ(xdotool({"mousemove", std::to_string(static_cast<int>(x) + 200), std::to_string(static_cast<int>(y))}), 0);
  key("n");
  ASSERT_EQ(xdotool({"mouseup", "1"}), 0);
  const auto pulled = screenshot();
  ASSERT_TRUE(free && pulled);
  EXPECT_GT(difference(*free, *pulled).weight, 10) << "pulled";
  quit();
}

}  // namespace
}  // namespace perturb::fibers
