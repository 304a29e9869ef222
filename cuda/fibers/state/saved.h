// Saved state of the fibers: writing, reading and validation. All conditions are checked before the running fibers
// change.
#pragma once

#include "cuda/core/simulation/state.h"
#include "cuda/fibers/model/saved.h"

namespace perturb::fibers {

// Adds the datasets.
void write_fiber_state(State& state, const Saved& saved, int terms);
// Throws InputError unless the state has 1 to max_fibers fibers with `terms` numbers per direction for the force, all
// numbers finite, no fiber too far away and none without a direction.
Saved read_fiber_state(const State& state, int terms);

}  // namespace perturb::fibers
