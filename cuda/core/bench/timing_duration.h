// For how long whatever tells how fast something is measures it: as long as numbers to rely on need, or, in tests that
// ask what stands in the tables and not how fast this machine is, a moment.
#pragma once

#include <atomic>

namespace perturb {

namespace detail {
inline std::atomic<double> timing_scale = 1;
}

// Of so many seconds, a hundredth while a ShortTimingScope lives.
inline double timing_duration(double usual) { return usual * detail::timing_scale; }

// Of all threads; one at a time.
class ShortTimingScope {
 public:
  ShortTimingScope() { detail::timing_scale = 0.01; }
  ~ShortTimingScope() { detail::timing_scale = 1; }
  ShortTimingScope(const ShortTimingScope&) = delete;
  ShortTimingScope& operator=(const ShortTimingScope&) = delete;
};

}  // namespace perturb
