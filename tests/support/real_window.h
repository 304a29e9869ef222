// The program itself in a real window, for tests that click it with a real pointer. They use an X server without a
// screen (Xvfb), xdotool for input, and the program's own screenshots for output. Tests are reported as skipped if
// these are missing.
//
// Environment variables, for a machine with a GPU and its own X server:
//   PERTURB_TEST_BINARY   the program, if it is not in its build folder
//   PERTURB_TEST_DISPLAY  the X display to use, with its own OpenGL; else an Xvfb with software OpenGL is started
//   PERTURB_TEST_BACKEND  cpu (default) or cuda
#pragma once

#include <chrono>
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

  // Output of the program.
  std::string output() const;
  // Opens the window with `arguments` (a scene and options) and panels enlarged by `scale`, and moves the pointer to
  // the middle of the view.
  void start(std::vector<std::string> arguments, int scale = 1);
  // The same for a command other than a run, in a window of this size.
  void start_command(std::vector<std::string> words, int window_width, int window_height, int scale = 1);
  // The same with only these options: the window has the program's default size.
  void start_without_defaults(std::vector<std::string> words);
  // Its exit code; -1 if it does not return.
  int xdotool(std::vector<std::string> arguments);
  void move_to(double x, double y);
  void click(int button);
  void key(const std::string& name);
  // Delivers the input of `what` within one frame: the program is stopped (SIGSTOP) meanwhile.
  void within_one_frame(const std::function<void()>& actions);
  // Presses the button at one position, moves to another in a few steps and releases it.
  void drag(int button, double x0, double y0, double x1, double y1);

  // The image that the program's own key saves, without panels, in the size of the view: at positions of the window
  // while the camera is in the middle. Null if it does not arrive.
  std::shared_ptr<const GreyImage> screenshot();
  // The step of the last screenshot.
  std::int64_t step() const;
  // For what takes thousands of steps: on a busy machine longer than anything else.
  static bool patiently(const std::function<bool()>& done);
  // Plays until this many steps are done, and pauses.
  std::shared_ptr<const GreyImage> play_until(std::int64_t steps);
  // For a window that may still be busy: presses the key a few times per second.
  void press_until_image_is_saved(const std::string& name);
  // The image at the start of the run, paused: the same at every call.
  std::shared_ptr<const GreyImage> paused_image();
  // The whole window with its panels as it is on the screen: red, green and blue of each pixel, from the upper left
  // corner. Empty if it cannot be captured: on an existing display that requires ffmpeg, which may not be installed.
  std::vector<std::uint8_t> capture_window() { return capture(width, height); }
  // The same of a window of another size.
  std::vector<std::uint8_t> capture(int window_width, int window_height);
  bool cannot_capture() const;
  // Quits by key: the program ends without an error.
  void quit();
  // The files in the test's folder and below whose path ends like this; hidden files are still being written.
  std::vector<std::filesystem::path> found(const std::string& ending) const;
  static std::string text_of(const std::filesystem::path& path);
  // Waits until the program has handled all input so far.
  void wait_for_input();
  // Waits until the program has drawn frames after all input so far.
  void wait_for_frame();
  // Waits briefly for typed text, if a field has the keyboard focus and no key saves an image; longer if the last image
  // took long.
  void wait_for_typing();
  // Saves the state with Ctrl+S and returns the file; empty if it does not arrive.
  std::filesystem::path saved_state();

  // Centre and extent of the area in which two images differ, in pixels from the upper left corner of the window.
  struct Difference {
    double x = 0, y = 0, radius = 0, weight = 0;
    double at(double px, double py) const;
  };
  Difference difference(const GreyImage& before, const GreyImage& after) const;

  std::filesystem::path folder_;
  std::string display_, last_name_;
  std::chrono::milliseconds response_{0};  // from the key to the last screenshot
  std::unique_ptr<VirtualScreen> screen_;
  std::unique_ptr<Process> program_;
  Layout layout_;
  int pointer_x_ = 0, pointer_y_ = 0;

 private:
  void launch(const std::vector<std::string>& words);
  std::vector<std::pair<std::string, std::string>> environment() const;
  std::vector<std::filesystem::path> files(const std::string& extension) const;
  // Scripts that the program has written.
  std::vector<std::filesystem::path> scripts() const;
};

}  // namespace perturb
