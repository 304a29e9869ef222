// Processes that tests start, and an X server without a screen for their windows.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace perturb {

// Waits until `done`. The limit, five minutes, is only a guard against hanging: a busy machine may be very slow.
bool eventually(const std::function<bool()>& done, std::chrono::milliseconds pause = std::chrono::milliseconds(4));

// A process that is started and ended here. Its output goes to output.txt in its folder.
class Process {
 public:
  // `environment`: differences from the current one. The child's file descriptor 3 is `pipe`, if not negative.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::vector<std::pair<std::string, std::string>>& environment, int pipe = -1);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool ended();
  pid_t id() const { return id_; }
  void send(int signal);
  // 128 plus the signal's number if a signal ended it; -1 while it runs.
  int code() { return ended() ? *code_ : -1; }

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
};

// An Xvfb on a free display, with the given number of pixels.
class VirtualScreen {
 public:
  explicit VirtualScreen(const std::filesystem::path& folder, const std::string& size = "1280x900");
  // ":7"; empty if the server does not start (or is not installed).
  const std::string& display() const { return display_; }
  // The current screen, from the upper left corner: three bytes per pixel (red, green, blue), the top row first. Empty
  // if the screen is smaller.
  std::vector<std::uint8_t> pixels(int width, int height) const;

 private:
  std::filesystem::path memory_;  // the server's frame buffer, which it keeps in a file
  std::unique_ptr<Process> server_;
  std::string display_;
};

}  // namespace perturb
