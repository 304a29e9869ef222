// How long frames take.
#pragma once

#include <chrono>

namespace perturb {

class FrameClock {
 public:
  // `display_rate`: the display's refreshes a second. `most`: frames a second at most; 0: as the display has it.
  explicit FrameClock(double display_rate, double most = 0);

  // Seconds since this frame began.
  double seconds() const;
  // Rests until the frame has lasted as long as the shortest may, and begins the next; returns how long it was.
  double next_frame();

 private:
  using Clock = std::chrono::steady_clock;

  double shortest_;  // seconds
  Clock::time_point start_ = Clock::now();
};

double seconds_since_process_start();

}  // namespace perturb
