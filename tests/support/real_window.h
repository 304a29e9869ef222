// The program itself in a real window, for tests that click it with a real pointer: an X server without a
// screen (Xvfb), xdotool for hands, and the program's own screenshots for eyes. Tests are skipped, visibly,
// where these are missing.
//
// From the environment, for a machine with a GPU and its own X server:
//   PERTURB_TEST_BINARY   the program, where it does not lie where it was built
//   PERTURB_TEST_DISPLAY  the X display to use, with its own OpenGL; else an Xvfb with software OpenGL is started
//   PERTURB_TEST_BACKEND  cpu (else) or cuda
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/image/image.h"
#include "app/session/layout.h"
#include "tests/support/virtual_screen.h"

namespace perturb {

class RealWindow : public testing::Test {
 protected:
  static constexpr int width = 1100, height = 700;

  void SetUp() override;
  void TearDown() override;
  virtual std::string screen_size() const { return "1280x900"; }

  // What the program has printed.
  std::string output() const;
  // Opens the window on `arguments` (a scene and options), with panels `scale` times as large, and puts the pointer
  // into the middle of the picture.
  void start(std::vector<std::string> arguments, int scale = 1);
  // The same for another command than a run, in a window of this size.
  void start_command(std::vector<std::string> words, int window_width, int window_height, int scale = 1);
  // The same with no options but these: the window is as large as the program makes it.
  void start_without_defaults(std::vector<std::string> words);
  // Its exit code; -1 when it does not come back.
  int xdotool(std::vector<std::string> arguments);
  void move_to(double x, double y);
  void click(int button);
  void key(const std::string& name);
  // What is done in between reaches the program at once, within one frame: it is stopped (SIGSTOP) while it is done.
  void within_one_frame(const std::function<void()>& actions);
  // Presses the button at one place, moves to another in a few moves and lets go.
  void drag(int button, double x0, double y0, double x1, double y1);

  // The picture as the program's own key saves it, without panels; null when it does not come.
  std::shared_ptr<const GreyImage> screenshot();
  // For a window that may still be at something else: presses it some times a second.
  void press_until_image_is_saved(const std::string& name);
  // The picture at the start of the run, at rest: the same at every call.
  std::shared_ptr<const GreyImage> paused_image();
  // The whole window with its panels as it is on the screen: red, green and blue of each pixel, from the upper left
  // corner. Empty where nobody looks: at somebody else's screen ffmpeg does, which may not be installed.
  std::vector<std::uint8_t> capture_window();
  bool cannot_capture() const;
  // Waits until the program has heard everything done so far.
  void wait_for_input();
  // Waits until the program has drawn frames that know everything done so far.
  void wait_for_frame();
  // A moment for what has been typed, where a field has the keyboard and no key takes a picture.
  void wait_for_typing();
  // Saves the state with Ctrl+S and returns the file; empty when it does not come.
  std::filesystem::path saved_state();

  // Where the two pictures differ: the middle and the extent of it, in pixels from the upper left corner of the window.
  struct Difference {
    double x = 0, y = 0, radius = 0, weight = 0;
    double at(double px, double py) const;
  };
  Difference difference(const GreyImage& before, const GreyImage& after) const;

  std::filesystem::path folder_;
  std::string display_, last_name_;
  std::unique_ptr<VirtualScreen> screen_;
  std::unique_ptr<Process> program_;
  Layout layout_;
  int pointer_x_ = 0, pointer_y_ = 0;

 private:
  void launch(const std::vector<std::string>& words);
  std::vector<std::pair<std::string, std::string>> environment() const;
  std::vector<std::filesystem::path> files(const std::string& extension) const;
  // That the program has written.
  std::vector<std::filesystem::path> scripts() const;
};

}  // namespace perturb
