// Contents of a Setup for fibers: their number, their parameters, and the memory that they take.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

constexpr int default_fiber_count = 300;

// Throw InputError for a parameter or a number of fibers out of range.
Parameters parameters_of(const Setup& setup);
int count_of(const Setup& setup);
// Throws Error if there is not enough memory for this number.
void require_fibers_memory(const Backend& backend, const Parameters& parameters, int count);

// Bytes that the plan for this setup takes; while it is unknown which method is faster, the larger of both.
std::size_t memory_needed(const Backend& backend, const Setup& setup);
bool faster_on_cpu(const Setup& setup);

}  // namespace perturb::fibers
