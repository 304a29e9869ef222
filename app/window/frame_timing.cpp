#include "app/window/frame_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
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

FrameClock::FrameClock(double display_rate, double max_rate)
    : shortest_(std::max(shortest_frame(display_rate), max_rate > 0 ? 1 / max_rate : 0.0)) {}

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

namespace {

// The panels settle within a few frames after an input.
constexpr int quiet_frames = 12;
constexpr double wait_at_rest = 0.1;  // seconds

constexpr int first_button = -10;  // keys have positive numbers

}  // namespace

void IdleThrottle::update(const std::vector<InputEvent>& events, bool moves) {
  using Kind = InputEvent::Kind;
  for (const InputEvent& event : events) {
    const int button = first_button + static_cast<int>(event.button);
    if (event.kind == Kind::press) held_.insert(button);
    if (event.kind == Kind::release) held_.erase(button);
    // (The character of a key arrives as a press of no key, without a release.)
    if (event.kind == Kind::key_press && event.code != 0) held_.insert(event.code);
    if (event.kind == Kind::key_release) held_.erase(event.code);
    // Releases in another window are not received.
    if (event.kind == Kind::leave) held_.clear();
  }
  quiet_frames_ = moves || !events.empty() || !held_.empty() ? 0 : quiet_frames_ + 1;
}

double IdleThrottle::max_wait() const { return quiet_frames_ > quiet_frames ? wait_at_rest : 0; }

namespace {

constexpr std::size_t min_frames = 10;
constexpr std::size_t max_frames = 20000;  // of one kind; later ones are ignored
constexpr const char* names[FrameReport::parts] = {"events", "picture", "panels", "film", "swap"};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double share_of(std::vector<double> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

std::string cell(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

void FrameReport::begin_frame() {
  now_ = Frame();
  mark_ = thread_seconds();
}

void FrameReport::lap(Part part) {
  const double now = thread_seconds();
  now_.seconds[static_cast<std::size_t>(part)] += now - mark_;
  mark_ = now;
}

void FrameReport::end_frame(const std::string& open, int vertices) {
  now_.vertices = vertices;
  std::vector<Frame>& frames = frames_[open];
  if (frames.size() < max_frames) frames.push_back(now_);
}

std::string FrameReport::table() const {
  std::string text =
      "Processor time of the window's thread per frame, in ms: medians; at the end panels and video together.\n";
  char line[200];
  std::snprintf(line, sizeof line, "%-28s %7s %9s", "what was open", "frames", "vertices");
  text += line;
  for (const char* name : names) {
    std::snprintf(line, sizeof line, " %8s", name);
    text += line;
  }
  text += "   median     95 %\n";
  for (const auto& entry : frames_) {
    const auto& frames = entry.second;  // copied to a name, because a lambda captures it
    if (frames.size() < min_frames) continue;
    std::snprintf(line, sizeof line, "%-28s %7zu", entry.first.c_str(), frames.size());
    text += line;
    std::vector<double> values(frames.size());
    const auto each = [&](auto value_of) {
      std::transform(frames.begin(), frames.end(), values.begin(), value_of);
      return values;
    };
    text += cell(" %9.0f", share_of(each([](const Frame& f) { return static_cast<double>(f.vertices); }), 0.5));
    for (std::size_t part = 0; part < parts; ++part)
      text += cell(" %8.3f", 1e3 * share_of(each([part](const Frame& f) { return f.seconds[part]; }), 0.5));
    const auto own = each([](const Frame& f) {
      return f.seconds[static_cast<std::size_t>(Part::panels)] + f.seconds[static_cast<std::size_t>(Part::film)];
    });
    text += cell(" %8.3f", 1e3 * share_of(own, 0.5)) + cell(" %8.3f", 1e3 * share_of(own, 0.95)) + "\n";
  }
  if (!undos_.empty()) {
    std::snprintf(line, sizeof line, "undo and redo: %zu of them, median %.1f ms, the slowest %.1f ms\n", undos_.size(),
                  1e3 * share_of(undos_, 0.5), 1e3 * share_of(undos_, 1));
    text += line;
  }
  return text;
}

}  // namespace perturb
