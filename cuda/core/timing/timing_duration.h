// Duration of a performance measurement: long enough for reliable numbers, or very short in tests that check tables and
// not the speed of this machine. And the measured duration of steps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace detail {
inline std::atomic<double> timing_scale = 1;
}

// `usual` seconds; a hundredth of that under ShortTimingScope.
inline double timing_duration(double usual) { return usual * detail::timing_scale; }

// Applies to all threads; at most one at a time.
class ShortTimingScope {
 public:
  ShortTimingScope() { detail::timing_scale = 0.01; }
  ~ShortTimingScope() { detail::timing_scale = 1; }
  ShortTimingScope(const ShortTimingScope&) = delete;
  ShortTimingScope& operator=(const ShortTimingScope&) = delete;
};

// Takes this many steps and waits for the device. Returns the duration in seconds.
inline double seconds_to_step(Simulation& simulation, std::int64_t count) {
  using Clock = std::chrono::steady_clock;
  simulation.backend().synchronize();
  const auto start = Clock::now();
  simulation.step(count);
  simulation.backend().synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace perturb
