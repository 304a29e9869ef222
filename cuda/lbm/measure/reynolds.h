// The viscosity for a given Reynolds number.
#pragma once

#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// U L/Re for a flow with parameters.reynolds > 0 and a length of `length` cells. Throws InputError if nothing drives
// the
// flow, or if the viscosity is outside the range of its parameter.
double viscosity_of(const Parameters& parameters, int length);

}  // namespace perturb::lbm
