// Timing of frames: their rate, the rate of an idle window, and a report of the processor time they take.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/session/input_events.h"

namespace perturb {

// Measures and limits the frame rate.
class FrameClock {
 public:
  // `display_rate`: refresh rate of the display in Hz. `max_rate`: maximum frames per second; 0: as the display.
  explicit FrameClock(double display_rate, double max_rate = 0);

  // Seconds since this frame began.
  double seconds() const;
  // Waits until the frame has its minimum duration, and begins the next; returns the duration.
  double next_frame();

 private:
  using Clock = std::chrono::steady_clock;

  double shortest_;  // seconds
  Clock::time_point start_ = Clock::now();
};

double seconds_since_process_start();

// Limits the frame rate of an idle window. A paused view need not be drawn 60 times per second: that drains the battery
// of a laptop, and takes half of the time of a processor that renders in software. Frames are drawn at once on input,
// and a few times per second for content that depends on the time.
class IdleThrottle {
 public:
  // Call once per frame. `moves`: whether the content changes without input.
  void update(const std::vector<InputEvent>& events, bool moves);
  // Seconds that the next frame may wait for input; 0: draw at once.
  double max_wait() const;
  // Whether a key or button is down.
  bool is_held() const { return !held_.empty(); }

 private:
  int quiet_frames_ = 0;
  std::set<int> held_;  // keys and buttons: while one is held, lists scroll and values change without further events
};

// Reports the processor time of frames, by part and by what was open.
// Processor time of the window's thread: waiting, and the time of other threads and programs, is not included. If
// OpenGL renders on the CPU, rendering counts for the part that triggers it.
class FrameReport {
 public:
  // events: user input, and the passes that it needs; view: jobs, their results, the image on the screen; panels: their
  // layout and drawing; film: reading images back and passing them on; swap: end of the frame.
  enum class Part { events, view, panels, film, swap };
  static constexpr std::size_t parts = 5;

  void begin_frame();
  // Assigns the time since the last call, or since the start of the frame, to this part.
  void lap(Part part);
  // `open`: what was visible, "tab Plots"; `vertices`: of the panels' triangles.
  void end_frame(const std::string& open, int vertices);
  // Durations of the undos and redos in seconds of wall-clock time.
  void take_undos(const std::vector<double>& seconds) { undos_ = seconds; }
  // One line for each `open` with at least ten frames: medians of the vertices and the parts, median and 95th
  // percentile of panels and film together; below them the undos, if any.
  std::string table() const;

 private:
  struct Frame {
    std::array<double, parts> seconds{};
    int vertices = 0;
  };
  Frame now_;
  std::vector<double> undos_;
  double mark_ = 0;
  std::map<std::string, std::vector<Frame>> frames_;
};

}  // namespace perturb
