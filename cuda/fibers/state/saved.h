// The fibers' saved state, written, and read and checked: all that must hold of it is stated here, before anything of
// the running fibers changes.
#pragma once

#include <vector>

#include "cuda/core/simulation/state.h"
#include "cuda/fibers/model/break.h"
#include "cuda/fibers/model/flow.h"
#include "cuda/fibers/model/start.h"

namespace perturb::fibers {

// Rows of [tracers][3]; `age`: steps since it entered the square.
struct TracersSaved {
  std::vector<double> position, velocity, age;
};

// What is empty is not saved: velocities are then computed anew, and a scheme of two steps begins again.
struct FiberSaved {
  Placement now;
  std::vector<double> velocity, spin, coefficients;  // [fibers][3], [fibers][3], [fibers][terms][3]
  std::vector<double> before[4];                     // position, tangent, velocity, spin of the step before
  FiberPull pull;
  TracersSaved tracers;
  double ring_break = RingBreak::unobserved;
};

// Adds the datasets.
void write_fiber_state(State& state, const FiberSaved& saved, int terms);
// Throws InputError unless the state is of 1 to max_fibers fibers with `terms` numbers a direction for the force, each
// number finite, no fiber out of reach and none without a direction.
FiberSaved read_fiber_state(const State& state, int terms);

}  // namespace perturb::fibers
