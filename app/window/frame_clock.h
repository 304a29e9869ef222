// Measures and limits the frame rate.
#pragma once

#include <chrono>

namespace perturb {

class FrameClock {
 public:
  // `display_rate`: refresh rate of the display in Hz. `most`: maximum frames per second; 0: as the display.
  explicit FrameClock(double display_rate, double most = 0);

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

}  // namespace perturb
