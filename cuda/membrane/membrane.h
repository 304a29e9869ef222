// The membrane: -div(grad u) + sigma u = f in the unit square by a partition-of-unity method, assembled and solved
// live.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

const SimulationInfo& membrane_simulation();

std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);
std::size_t memory_needed(const Backend& backend, const Setup& setup);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

// The parameters of a setup. Throws InputError if they are invalid.
Parameters parameters_of(const Setup& setup);

}  // namespace perturb::membrane
