#include "app/window/frame_report.h"

#include <algorithm>
#include <cstdio>

#include <time.h>

namespace perturb {

namespace {

constexpr std::size_t least_frames = 10;
constexpr std::size_t most_frames = 20000;  // of one kind; later ones are ignored
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

void FrameReport::begin_frame() { now_ = Frame(), mark_ = thread_seconds(); }

void FrameReport::lap(Part part) {
  const double now = thread_seconds();
  now_.seconds[static_cast<std::size_t>(part)] += now - mark_;
  mark_ = now;
}

void FrameReport::end_frame(const std::string& open, int vertices) {
  now_.vertices = vertices;
  std::vector<Frame>& frames = frames_[open];
  if (frames.size() < most_frames) frames.push_back(now_);
}

std::string FrameReport::table() const {
  std::string text =
      "Processor time of the window's thread a frame, in ms: medians; at the end panels and film together.\n";
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
    if (frames.size() < least_frames) continue;
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
