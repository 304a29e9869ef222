// Duration of a performance measurement: long enough for reliable numbers, or very short in tests that check tables and
// not the speed of this machine.
#pragma once

#include <atomic>

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

}  // namespace perturb
