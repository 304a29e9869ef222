#include "cuda/fibers/model/break.h"

#include <algorithm>

namespace perturb::fibers {

bool fiber_ring_has_parted(const FiberCore& core) {
  return core.fibers >= fewest_core_fibers && core.parting >= 1 &&
         core.ring_section <= thickest_ring * core.ring_radius;
}

void RingBreak::update(const FiberCore& core, double time) {
  if (state_ != unobserved && state_ != whole) return;
  if (!fiber_ring_has_parted(core))
    state_ = whole;
  else
    state_ = state_ == whole ? std::max(0.0, time) : unknown;
}

}  // namespace perturb::fibers
