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

// Runs `work` and waits for the device. Returns the duration in seconds.
template <class Work>
double seconds_to_run(Backend& backend, const Work& work) {
  using Clock = std::chrono::steady_clock;
  backend.synchronize();
  const auto start = Clock::now();
  work();
  backend.synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}
// The same for this many steps.
inline double seconds_to_step(Simulation& simulation, std::int64_t count) {
  return seconds_to_run(simulation.backend(), [&] { simulation.step(count); });
}

}  // namespace perturb
