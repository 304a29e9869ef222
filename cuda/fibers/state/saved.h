// Saved state of the fibers: writing, reading and validation. All conditions are checked before the running fibers
// change.
#pragma once

#include <vector>

#include "cuda/core/simulation/state.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

// Rows of [tracers][3]; `age`: steps since it entered the square.
struct TracersSaved {
  std::vector<double> position, velocity, age;
};

// Empty members are not saved: velocities are then recomputed, and a two-step scheme restarts.
struct FiberSaved {
  Placement now;
  std::vector<double> velocity, spin, coefficients;  // [fibers][3], [fibers][3], [fibers][terms][3]
  std::vector<double> before[4];                     // position, tangent, velocity, spin of the previous step
  FiberPull pull;
  TracersSaved tracers;
  double ring_break = RingBreak::unobserved;
  double start_half = 0;  // of ViewState, which tracers leave; 0: that of this number of fibers
  double balls = 0;       // of fibers that were added: their random numbers
  double chosen = -1;     // the fiber; -1: none
};

// Adds the datasets.
void write_fiber_state(State& state, const FiberSaved& saved, int terms);
// Throws InputError unless the state has 1 to max_fibers fibers with `terms` numbers per direction for the force, all
// numbers finite, no fiber too far away and none without a direction.
FiberSaved read_fiber_state(const State& state, int terms);

}  // namespace perturb::fibers
