#include "app/window/frame_clock.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <time.h>
#include <unistd.h>

namespace perturb {

namespace {

// Vertical sync paces most displays. This limit is for those without it, and for those so fast that "steps per frame"
// would mean another speed: 144 Hz gives 72 frames per second, 60 Hz gives 60.
double shortest_frame(double display_rate) {
  const double refreshes = std::max(1.0, std::floor(display_rate / 60 + 0.5));
  return (refreshes - 0.1) / display_rate;
}

}  // namespace

FrameClock::FrameClock(double display_rate, double most)
    : shortest_(std::max(shortest_frame(display_rate), most > 0 ? 1 / most : 0.0)) {}

double FrameClock::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

double FrameClock::next_frame() {
  const double rest = shortest_ - seconds();
  if (rest > 0) std::this_thread::sleep_for(std::chrono::duration<double>(rest));
  const Clock::time_point now = Clock::now();
  const double lasted = std::chrono::duration<double>(now - start_).count();
  start_ = now;
  return lasted;
}

double seconds_since_process_start() {
#if defined(__linux__)
  // Field 22 of /proc/self/stat: start time of the process in clock ticks since boot. The name in field 2 may contain
  // blanks.
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 2)));
  std::string field;
  for (int i = 3; i <= 22 && fields >> field; ++i) {
  }
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const double ticks = std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - ticks;
#else
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
#endif
}

}  // namespace perturb
