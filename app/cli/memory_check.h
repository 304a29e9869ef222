// Checks whether a grid fits into memory before anything is allocated.
#pragma once

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Bytes needed by a simulation made from `setup`; a double, so that no size overflows.
double memory_estimate(const SimulationInfo& info, const Setup& setup, const Backend& backend);
// Throws InputError that states the required and the available memory, and a size that would fit. `saves`: the state is
// saved at the end, which needs memory too.
void require_memory(const SimulationInfo& info, const Setup& setup, const Backend& backend, bool saves = false);

}  // namespace perturb
