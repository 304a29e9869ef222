// A kiosk in a real window: hours of input in a minute.
#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include "tests/support/reach.h"
#include "tests/support/real_window.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class WindowKiosk : public RealWindow {
 protected:
  // A kiosk fills its screen, and drawing takes most of the time: a small screen.
  std::string screen_size() const override { return "820x480"; }
  // Resident memory of the program; 0 once it has ended.
  std::size_t program_bytes() const {
    std::ifstream file("/proc/" + std::to_string(program_->id()) + "/statm");
    std::size_t all = 0, present = 0;
    file >> all >> present;
    return present * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  // Random input of half a second: one call of xdotool.
  std::vector<std::string> handful() {
    std::vector<std::string> words;
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    for (int k = 0; k < 20; ++k) {
      const int what = chance(10);
      if (what < 2) {
        add({down_ ? "mouseup" : "mousedown", std::to_string(down_ ? down_ : button())});
        down_ = down_ ? 0 : button_;
      } else if (what == 2) {
        add({"click", std::to_string(4 + chance(2))});
      } else if (what == 3) {
        const std::vector<std::string> keys = {"Tab", "space",  "F1",           "F3",    "r",
                                               "m",   "ctrl+z", "bracketright", "Escape"};
        add({"key", keys[static_cast<std::size_t>(chance(static_cast<int>(keys.size())))]});
      } else {
        add({"mousemove", std::to_string(chance(820)), std::to_string(chance(480))});
      }
      add({"sleep", "0.01"});
    }
    return words;
  }

 private:
  int chance(int of) { return static_cast<int>(random_() % static_cast<unsigned>(of)); }
  int button() { return button_ = chance(3) == 0 ? 3 : 1; }
  std::mt19937 random_{11};
  int down_ = 0, button_ = 1;
};

// KioskTest runs ten thousand frames without a screen; this test adds OpenGL, X and the run thread.
TEST_F(WindowKiosk, LeaksNoMemoryOverHoursOfInput) {
  const int handfuls = reach(24, 8);
  ASSERT_NO_FATAL_FAILURE(start_without_defaults({"wave/droplet", "--kiosk", "--backend", "cpu"}));
  std::vector<std::size_t> seen;
  for (int k = 0; k < handfuls && !program_->ended(); ++k) {
    ASSERT_EQ(xdotool(handful()), 0) << output();
    if (const std::size_t bytes = program_bytes(); bytes > 0) seen.push_back(bytes);
  }
  quit();
  EXPECT_EQ(output().find("perturb:"), std::string::npos) << output();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "state" / "perturb" / "failures.log"));
  if (is_sanitized) return;  // a sanitizer keeps freed memory
  ASSERT_GE(seen.size(), 6u);
  const auto warm = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 3);
  const std::size_t then = *std::max_element(seen.begin(), warm), now = *std::max_element(warm, seen.end());
  EXPECT_LE(now, then + (std::size_t{16} << 20)) << "bytes, after " << seen.size() << " handfuls";
}

}  // namespace
}  // namespace perturb
