// A membrane's saved state: writing, reading and checking. All conditions on it are checked here, before the running
// membrane changes.
#pragma once

#include "cuda/core/simulation/state.h"
#include "cuda/membrane/model/saved.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// Adds the datasets to a state that has its size.
void write_membrane_state(State& state, const Saved& saved);

// Throws InputError unless the state is a membrane whose patches are a cover of the square with this overlap, every
// number is finite, the clock is not later than the state itself, and the solution belongs to valid parameters.
Saved read_membrane_state(const State& state, const Parameters& p);

}  // namespace perturb::membrane
