// Content of a saved state of the fibers (state/saved.h).
#pragma once

#include <vector>

#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

// Rows of [tracers][3]; `age`: steps since it entered the square.
struct TracersSaved {
  std::vector<double> position, velocity, age;
};

// Empty members are not saved: velocities are then recomputed, and a two-step scheme restarts.
struct Saved {
  Placement now;
  std::vector<double> velocity, spin, coefficients;  // [fibers][3], [fibers][3], [fibers][terms][3]
  std::vector<double> before[4];                     // position, tangent, velocity, spin of the previous step
  Pull pull;
  TracersSaved tracers;
  double ring_break = RingBreak::unobserved;
  double start_half = 0;  // of ViewState, which tracers leave; 0: that of this number of fibers
  double balls = 0;       // of fibers that were added: their random numbers
  double chosen = -1;     // the fiber; -1: none
};

}  // namespace perturb::fibers
