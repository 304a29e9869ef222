// Whether a grid fits, told before anything is allocated.
#pragma once

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Bytes that a simulation made from `setup` takes; as a double, so that no size is too large to be counted.
double memory_estimate(const SimulationInfo& info, const Setup& setup, const Backend& backend);
// Throws InputError that says how much is needed, how much there is, and what would fit. `saves`: the state is saved at
// the end, which takes memory too.
void require_memory(const SimulationInfo& info, const Setup& setup, const Backend& backend, bool saves = false);

}  // namespace perturb
