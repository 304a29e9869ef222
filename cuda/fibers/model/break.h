// Detects when a ring of fibers parts.
#pragma once

#include <cstdint>

#include "cuda/fibers/model/core.h"

namespace perturb::fibers {

// Checks a cloud's core at steps that `stride` divides, so that the result does not depend on how often the run is
// measured. Its state is one number, which saved states contain.
class RingBreak {
 public:
  static constexpr std::int64_t stride = 4;
  // Values of `state` before there is a time; a time is 0 or more.
  static constexpr double unobserved = -3, unknown = -2, whole = -1;

  // Another cloud: its shape is unknown until the next check.
  void begin() { state_ = unobserved; }
  // Whether a check after step `steps` can still change anything.
  bool is_due(std::int64_t steps) const { return steps % stride == 0 && (state_ == unobserved || state_ == whole); }
  // At `time`. A ring that has already parted at the first check broke earlier, at an unknown time.
  void update(const FiberCore& core, double time);
  bool broke() const { return state_ >= 0; }
  double time() const { return state_; }

  double state() const { return state_; }
  void restore(double state) { state_ = state; }

 private:
  double state_ = unobserved;
};

// Whether it is a ring with a hole whose density is zero somewhere around it.
bool fiber_ring_has_parted(const FiberCore& core);

}  // namespace perturb::fibers
