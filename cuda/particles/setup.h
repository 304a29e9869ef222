// Memory that a run of discs needs, before it begins.
#pragma once

#include <cstddef>

#include "cuda/core/simulation/simulation.h"
#include "cuda/particles/parameters.h"

namespace perturb::particles {

// Most bytes of the backend's memory that a run with these parameters takes.
std::size_t disc_bytes(const Backend& backend, const Parameters& parameters);

// The same for a setup. For more discs than max_discs, more than any memory. Throws InputError.
std::size_t disc_memory_needed(const Backend& backend, const Setup& setup);
bool discs_faster_on_cpu(const Setup& setup);

}  // namespace perturb::particles
