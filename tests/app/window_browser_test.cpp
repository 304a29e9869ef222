// The scene browser in a real window: opened, searched and used by keyboard and pointer.
#include <cmath>
#include <string>

#include "app/io/image/recorder.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowBrowser : public RealWindow {
 protected:
  // Whether this scene is shown: saves an image, whose file name contains the scene.
  bool shows(const std::string& scene) {
    return eventually([&] { return screenshot() && last_name_.find("perturb-" + scene + "-") == 0; });
  }
};

TEST_F(WindowBrowser, FindsSceneByTypingAndEnter) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  key("F3");
  wait_for_typing();
  ASSERT_EQ(xdotool({"type", "--delay", "20", "slit wave"}), 0);
  key("Right");
  key("Return");
  EXPECT_TRUE(shows("wave-single-slit")) << last_name_;
}

TEST_F(WindowBrowser, OpensSceneOnCardClick) {
  if (cannot_capture()) GTEST_SKIP() << "ffmpeg is not installed: the screenshot cannot be checked";
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  const auto before = capture_window();
  key("F3");
  wait_for_typing();
  ASSERT_EQ(xdotool({"type", "--delay", "20", "doppler"}), 0);
  wait_for_typing();
  const auto open = capture_window();
  ASSERT_FALSE(open.empty());
  // The selected card has a frame in the accent's blue, which the play button below has too: clicks into its middle.
  double left = width, right = 0, top = height, bottom = 0;
  for (int j = 0; j < height / 2; ++j)
    for (int i = 0; i < width; ++i) {
      const std::size_t k = 3 * (static_cast<std::size_t>(j) * width + static_cast<std::size_t>(i));
      if (open[k] != 88 || open[k + 1] != 178 || open[k + 2] != 226) continue;
      left = std::min<double>(left, i), right = std::max<double>(right, i);
      top = std::min<double>(top, j), bottom = std::max<double>(bottom, j);
    }
  ASSERT_GT(right - left, 100);
  move_to((left + right) / 2, (top + bottom) / 2);
  click(1);
  EXPECT_TRUE(shows("wave-doppler")) << last_name_;
}

TEST_F(WindowBrowser, EscKeepsStateUnchanged) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  start({"wave/droplet"});
  const auto before = paused_image();
  ASSERT_TRUE(before);
  key("F3");
  wait_for_typing();
  ASSERT_EQ(xdotool({"type", "--delay", "20", "rain"}), 0);
  key("Escape");
  const auto after = screenshot();
  ASSERT_TRUE(after);
  EXPECT_EQ(last_name_.find("perturb-wave-droplet-0"), 0u) << last_name_;
  EXPECT_TRUE(after->values == before->values) << "letters typed for the search were no keys";
}

}  // namespace
}  // namespace perturb
