// What a Setup asks of the fibers: how many, their parameters, and the memory that they take.
#pragma once

#include <cstddef>
#include <memory>

#include "cuda/core/simulation.h"

namespace perturb {

constexpr int default_fiber_count = 300;

// Throws InputError for a number of fibers or a parameter out of range, and Error where the memory is not there.
std::unique_ptr<Simulation> fibers_create(Backend& backend, const Setup& setup);

// Bytes that the plan for this setup takes; while it is not measured which way is the faster one, the larger of both.
std::size_t fibers_memory_needed(const Backend& backend, const Setup& setup);

}  // namespace perturb
