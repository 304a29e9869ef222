// The program itself in a real window, clicked with a real pointer: an X server without a screen (Xvfb), xdotool for hands,
// and the program's own screenshots for eyes. Skipped, visibly, where these are missing.
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/files/image.h"
#include "app/files/recorder.h"
#include "app/ui/layout.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class WindowUi : public testing::Test {
 protected:
  static constexpr int width = 1100, height = 700;

  void SetUp() override {
    for (const char* program : {"Xvfb", "xdotool"})
      if (find_program(program).empty()) GTEST_SKIP() << program << " is not installed";
    folder_ = fs::temp_directory_path() / ("perturb-window-" + std::to_string(getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    screen_ = std::make_unique<VirtualScreen>(folder_);
    if (screen_->display().empty()) GTEST_SKIP() << "Xvfb does not start here: " << output();
    display_ = screen_->display();
  }
  void TearDown() override {
    program_.reset();
    screen_.reset();
    std::error_code ignored;
    if (!HasFailure()) fs::remove_all(folder_, ignored);
  }

  std::vector<std::pair<std::string, std::string>> environment() const {
    // An address-sanitised program would report what Mesa's drivers leave behind; they are unloaded by then, so that no list
    // of names could excuse them.
    const char* sanitizer = std::getenv("ASAN_OPTIONS");
    return {{"DISPLAY", display_},
            {"LIBGL_ALWAYS_SOFTWARE", "1"},
            {"WAYLAND_DISPLAY", ""},
            {"XDG_SESSION_TYPE", "x11"},
            {"ASAN_OPTIONS", (sanitizer ? std::string(sanitizer) + ":" : std::string()) + "detect_leaks=0"}};
  }
  std::string output() const {
    std::ifstream file(folder_ / "output.txt");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void start(std::vector<std::string> arguments, int scale = 1) {
    std::vector<std::string> words = {PERTURB_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> fixed = {"--backend",     "cpu",
                                            "--colormap",    "grey",
                                            "--window-size", std::to_string(width) + "x" + std::to_string(height),
                                            "--ui-scale",    std::to_string(scale)};
    words.insert(words.end(), fixed.begin(), fixed.end());
    program_ = std::make_unique<Process>(words, folder_, environment());
    ASSERT_TRUE(eventually([this] {
      return program_->ended() || xdotool({"search", "--onlyvisible", "--class", "perturb"}) == 0;
    }));
    ASSERT_FALSE(program_->ended()) << output();
    // Without a window manager nothing places or focuses the window: it lies in the corner, keys follow the pointer.
    layout_ = make_layout(width, height, 1, scale, true);
    move_to(layout_.picture.width / 2, layout_.picture.height / 2);
  }
  int xdotool(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "xdotool");
    Process hand(arguments, folder_, environment());
    if (!eventually([&] { return hand.ended(); })) return -1;
    return hand.code();
  }
  void move_to(double x, double y) {
    pointer_x_ = static_cast<int>(x), pointer_y_ = static_cast<int>(y);
    ASSERT_EQ(xdotool({"mousemove", std::to_string(pointer_x_), std::to_string(pointer_y_)}), 0) << output();
  }
  void click(int button) { ASSERT_EQ(xdotool({"click", std::to_string(button)}), 0) << output(); }
  void key(const std::string& name) { ASSERT_EQ(xdotool({"key", name}), 0) << output(); }

  // The picture as the program's own key saves it. It names the file by the step; the old one of that name goes first.
  std::shared_ptr<const GreyImage> screenshot() {
    for (const fs::path& old : pictures()) fs::remove(old);
    key("p");
    EXPECT_TRUE(eventually([this] { return !pictures().empty() || program_->ended(); })) << output();
    const std::vector<fs::path> found = pictures();
    if (found.empty()) return nullptr;
    last_name_ = found.front().filename().string();
    return load_grey_image(found.front().string());
  }
  std::vector<fs::path> pictures() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      // Hidden ones are still being written.
      if (entry.path().extension() == ".png" && entry.path().filename().string().front() != '.')
        found.push_back(entry.path());
    return found;
  }
  // The picture at the start of the run, at rest: the same at every call.
  std::shared_ptr<const GreyImage> paused_picture() {
    key("n");  // one step, which pauses
    key("r");
    std::shared_ptr<const GreyImage> picture = screenshot();
    // A run that did not pause would go on, and soon have another name.
    for (int i = 0; i < 2 && picture; ++i) {
      EXPECT_TRUE(last_name_.ends_with("-0.png")) << last_name_;
      picture = screenshot();
    }
    return picture;
  }

  // Where the two pictures differ: the middle and the extent of it, in pixels from the upper left corner of the window.
  struct Difference {
    double x = 0, y = 0, radius = 0, weight = 0;
    double at(double px, double py) const { return std::hypot(px - x, py - y); }
  };
  Difference difference(const GreyImage& before, const GreyImage& after) const {
    Difference d;
    EXPECT_EQ(before.width, after.width);
    EXPECT_EQ(before.height, after.height);
    if (before.values.size() != after.values.size()) return d;
    const auto each = [&](const std::function<void(double x, double y, double weight)>& use) {
      for (int j = 0; j < before.height; ++j)
        for (int i = 0; i < before.width; ++i) {
          const std::size_t k =
              static_cast<std::size_t>(j) * static_cast<std::size_t>(before.width) + static_cast<std::size_t>(i);
          const double weight = std::abs(after.values[k] - before.values[k]);
          if (weight > 0.02) use(i, before.height - 1 - j, weight);
        }
    };
    each([&](double x, double y, double w) { d.x += w * x, d.y += w * y, d.weight += w; });
    if (d.weight > 0) d.x /= d.weight, d.y /= d.weight;
    each([&](double x, double y, double) { d.radius = std::max(d.radius, std::hypot(x - d.x, y - d.y)); });
    return d;
  }

  fs::path folder_;
  std::string display_, last_name_;
  std::unique_ptr<VirtualScreen> screen_;
  std::unique_ptr<Process> program_;
  Layout layout_;
  int pointer_x_ = 0, pointer_y_ = 0;
};

TEST_F(WindowUi, AClickIsSeenWhereItWasMade) {
  start({"wave/droplet"});
  const auto before = paused_picture();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, layout_.viewport().width) << "the picture without the panels";
  EXPECT_EQ(before->height, layout_.viewport().height);
  move_to(layout_.picture.width * 0.37, layout_.picture.height * 0.29);
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1) << "a droplet is seen";
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 1.5) << "pixels beside the pointer";
  EXPECT_LT(d.radius, 40);

  // The right button does the opposite: after it the water is as before.
  click(3);
  const auto undone = screenshot();
  ASSERT_TRUE(undone);
  EXPECT_LT(difference(*before, *undone).weight, 0.05 * d.weight);
  key("ctrl+q");
  EXPECT_TRUE(eventually([this] { return program_->ended(); }));
  EXPECT_EQ(program_->code(), 0) << output();
}

TEST_F(WindowUi, AClickBesideLargePanels) {
  start({"wave/droplet"}, 2);
  const auto before = paused_picture();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, layout_.viewport().width);
  move_to(layout_.picture.width * 0.7, layout_.picture.height * 0.4);
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1);
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 1.5);
}

TEST_F(WindowUi, AClickAfterZoomingAndWithoutPanels) {
  start({"wave/droplet"});
  key("Tab");  // the picture fills the window
  move_to(0.62 * width, 0.31 * height);
  for (int i = 0; i < 9; ++i) click(4);
  const auto before = paused_picture();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->width, width);
  EXPECT_EQ(before->height, height);
  move_to(0.41 * width, 0.66 * height);
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1);
  // The droplet's middle may be that of the cell, which is now several pixels wide.
  const double pixels_per_cell = std::pow(1.15, 9) * height / 512.0;
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 0.5 * std::sqrt(2.0) * pixels_per_cell + 1);
}

TEST_F(WindowUi, AClickInAResizedWindow) {
  start({"wave/droplet"});
  constexpr int new_width = 910, new_height = 633;
  ASSERT_EQ(xdotool({"search", "--onlyvisible", "--class", "perturb", "windowsize", std::to_string(new_width),
                     std::to_string(new_height)}),
            0);
  layout_ = make_layout(new_width, new_height, 1, 1, true);
  std::shared_ptr<const GreyImage> before = paused_picture();
  for (int i = 0; i < 20 && before && before->width != layout_.viewport().width; ++i) before = paused_picture();
  ASSERT_TRUE(before);
  ASSERT_EQ(before->width, layout_.viewport().width);
  ASSERT_EQ(before->height, layout_.viewport().height);
  move_to(layout_.picture.width * 0.6, layout_.picture.height * 0.7);
  click(1);
  const auto after = screenshot();
  ASSERT_TRUE(after);
  const Difference d = difference(*before, *after);
  EXPECT_GT(d.weight, 1);
  EXPECT_LT(d.at(pointer_x_, pointer_y_), 1.5);
}

TEST_F(WindowUi, AFastDragLeavesNoGaps) {
  start({"wave/droplet"});
  const auto before = paused_picture();
  ASSERT_TRUE(before);
  const double y = layout_.picture.height * 0.2, left = layout_.picture.width * 0.35,
               right = layout_.picture.width * 0.65;
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

TEST_F(WindowUi, PanelsAnswerAndTheRunGoesOn) {
  start({"wave/droplet"});
  // The play button pauses: two pictures of the same step.
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

TEST_F(WindowUi, EndsByItselfAfterSoManyFrames) {
  start({"wave/droplet", "--frames", "30", "--report-first-frame"});
  EXPECT_TRUE(eventually([this] { return program_->ended(); }));
  EXPECT_EQ(program_->code(), 0) << output();
  EXPECT_NE(output().find("first frame after "), std::string::npos) << output();
}

}  // namespace
}  // namespace perturb
