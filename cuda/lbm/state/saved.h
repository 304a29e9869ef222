// A saved state of a flow, read and validated completely before the running flow changes.
#pragma once

#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"
#include "cuda/lbm/model/saved.h"

namespace perturb::lbm {

// Throws InputError unless the state is a flow of this size with finite populations and dye, sources and probe where
// actions may put them, and no source without dye. (Whether walls leave any fluid is checked after their holes have
// been
// filled.)
Saved read_lbm_state(const State& state, GridSize size);

}  // namespace perturb::lbm
