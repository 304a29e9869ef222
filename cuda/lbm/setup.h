// Converts a setup into a flow's size, parameters and memory: the checks before anything is allocated.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

constexpr int largest_side = 32768;  // cells; nine planes of the largest domain still have a number of rows that an int
                                     // can hold

inline bool is_periodic(Boundary b) { return b == Boundary::periodic; }
// Default boundary condition of the side opposite to one of this type.
Boundary partner(Boundary b);
// Throws InputError if fluid enters that cannot leave.
void check_balance(const Parameters& parameters);
bool has_sides(const Parameters& parameters);

// Each throws InputError for an invalid setup.
Parameters parameters_of(const Setup& setup);
GridSize lbm_size_of(const Setup& setup);
std::size_t lbm_bytes_of(const Backend& backend, const Setup& setup);

}  // namespace perturb::lbm
