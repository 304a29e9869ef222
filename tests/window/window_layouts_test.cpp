// Shortcuts with other keyboard layouts, in a real window: keys are pressed by their positions (xdotool takes X11's
// keycodes), as a user presses them.
#include <filesystem>
#include <string>

#include "app/io/files/process.h"
#include "app/io/state/state_file.h"
#include "tests/support/real_window.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

// Named by the symbols of a US keyboard.
constexpr const char *key_1 = "10", *key_3 = "12", *key_p = "33", *key_bracket = "34", *key_s = "39", *key_h = "43",
                     *key_r = "27", *key_period = "60";

class WindowLayouts : public RealWindow {
 protected:
  void SetUp() override {
    if (find_program("setxkbmap").empty()) GTEST_SKIP() << "setxkbmap is not installed";
    RealWindow::SetUp();
    if (!screen_ && !IsSkipped()) GTEST_SKIP() << "the keyboard layout of another display is not changed";
  }
  void use_layout(const std::string& layout) {
    Process change({"setxkbmap", "-display", display_, layout}, folder_, {});
    ASSERT_TRUE(eventually([&] { return change.ended(); }));
    if (change.code() != 0) GTEST_SKIP() << "there is no keyboard layout " << layout << ": " << output();
    wait_for_typing();
  }
  fs::path file_after(const std::string& name, const std::string& extension) {
    const auto find = [&] {
      for (const auto& entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == extension && entry.path().filename().string().front() != '.')
          return entry.path();
      return fs::path();
    };
    for (fs::path old = find(); !old.empty(); old = find()) fs::remove(old);
    key(name);
    EXPECT_TRUE(eventually([&] { return !find().empty() || program_->ended(); })) << name << ": " << output();
    return find();
  }
  int picture_width() {
    const fs::path file = file_after(key_p, ".png");
    return file.empty() ? 0 : load_grey_image(file.string())->width;
  }
};

TEST_F(WindowLayouts, MapsLettersByPositionInRussianLayout) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  use_layout("ru");
  if (IsSkipped()) return;
  for (int k = 0; k < 3; ++k) key(key_period);
  fs::path file = file_after("ctrl+" + std::string(key_s), ".perturb");
  ASSERT_FALSE(file.empty()) << output();
  EXPECT_EQ(load_state(file.string()).steps, 3);
  key(key_r);
  file = file_after("ctrl+" + std::string(key_s), ".perturb");
  ASSERT_FALSE(file.empty()) << output();
  EXPECT_EQ(load_state(file.string()).steps, 0) << "R restarts";
  const int with_panels = picture_width();
  key(key_h);
  EXPECT_GT(picture_width(), with_panels) << "H hides the panels";
}

TEST_F(WindowLayouts, MapsSignsByPositionWhenBehindAltGr) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  use_layout("de");
  if (IsSkipped()) return;
  key(key_bracket);  // "ü"
  const fs::path picture = file_after(key_p, ".png");
  EXPECT_EQ(picture.filename().string().find("perturb-wave-droplet-"), std::string::npos)
      << "the scene before: " << picture;
}

TEST_F(WindowLayouts, AcceptsCtrlPlusWhenBehindShift) {
  start({"wave/droplet"});
  ASSERT_TRUE(paused_image());
  use_layout("ch");
  if (IsSkipped()) return;
  const int before = picture_width();
  key("ctrl+shift+" + std::string(key_1));
  EXPECT_LT(picture_width(), before) << "larger text needs a wider column";
}

// Digits select tools: a French layout needs Shift for them, and writes other symbols without it.
TEST_F(WindowLayouts, MapsDigitsByPositionInFrenchLayout) {
  start({"wave/droplet", "--quantity", "height"});
  ASSERT_TRUE(paused_image());
  use_layout("fr");
  if (IsSkipped()) return;
  key(key_3);  // "\"": paints another wave speed; the droplet, the first tool, would leave a wave
  click(1);
  const fs::path file = file_after("ctrl+" + std::string(key_s), ".perturb");
  ASSERT_FALSE(file.empty()) << output();
  const State state = load_state(file.string());
  EXPECT_TRUE(state.has("speed")) << "a map of the wave speed";
}

}  // namespace
}  // namespace perturb
