// For how long whatever tells how fast something is measures it: as long as numbers to rely on need, or, in tests that
// ask what stands in the tables and not how fast this machine is, a moment.
#pragma once

#include <atomic>

namespace perturb {

namespace detail {
inline std::atomic<double> measuring_share = 1;
}

// Of so many seconds, a hundredth while a BriefMeasuring lives.
inline double measuring_seconds(double usual) { return usual * detail::measuring_share; }

// Of all threads; one at a time.
class BriefMeasuring {
 public:
  BriefMeasuring() { detail::measuring_share = 0.01; }
  ~BriefMeasuring() { detail::measuring_share = 1; }
  BriefMeasuring(const BriefMeasuring&) = delete;
  BriefMeasuring& operator=(const BriefMeasuring&) = delete;
};

}  // namespace perturb
