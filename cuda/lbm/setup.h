// From a preset's words to a flow's shape, parameters and memory: the checks that come before anything is made.
#pragma once

#include <cstddef>

#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/start.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

constexpr int largest_side = 32768;  // cells; nine planes of the largest domain still have countable rows

inline bool is_periodic(Boundary b) { return b == Boundary::periodic; }
// What stands opposite a side of this kind when nothing else is asked for.
Boundary partner(Boundary b);
// Throws InputError where fluid enters that cannot leave.
void check_balance(const Parameters& parameters);
bool has_sides(const Parameters& parameters);

// Each throws InputError for what is wrong in the setup.
Parameters parameters_of(const Setup& setup);
GridSize lbm_size_of(const Setup& setup);
std::size_t lbm_bytes_of(const Backend& backend, const Setup& setup);

}  // namespace perturb::lbm
