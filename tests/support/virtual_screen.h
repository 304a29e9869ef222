// Programs that tests start, and an X server without a screen for their windows.
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

// Waits until `done`, for up to a minute: long enough for a busy machine; nothing waits that long when all is well.
bool eventually(const std::function<bool()>& done, std::chrono::milliseconds pause = std::chrono::milliseconds(4));

// A program that was started here, and ends here. What it prints goes to output.txt in its folder.
class Process {
 public:
  // `environment`: what is different from ours. The child's file descriptor 3 is `pipe`, if not negative.
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::vector<std::pair<std::string, std::string>>& environment, int pipe = -1);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool ended();
  pid_t id() const { return id_; }
  void send(int signal);
  // 128 and the signal's number for one that a signal ended; -1 while it runs.
  int code() { return ended() ? *code_ : -1; }

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
};

// An Xvfb on a display that was free, of so many pixels.
class VirtualScreen {
 public:
  explicit VirtualScreen(const std::filesystem::path& folder, const std::string& size = "1280x900");
  // ":7"; empty when the server does not start (or is not installed).
  const std::string& display() const { return display_; }
  // What stands on it now, from the upper left corner on: three bytes a pixel (red, green, blue), the top row first.
  // Empty where the screen is smaller.
  std::vector<std::uint8_t> pixels(int width, int height) const;

 private:
  std::filesystem::path memory_;  // the server's picture, which it keeps in a file
  std::unique_ptr<Process> server_;
  std::string display_;
};

}  // namespace perturb
