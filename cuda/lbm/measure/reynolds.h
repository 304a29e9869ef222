// The viscosity that gives a flow a Reynolds number.
#pragma once

#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// U L/Re for a flow with parameters.reynolds > 0 that is `length` cells long. Throws InputError where nothing gives the
// flow a speed, and where the viscosity is none that the parameter may have.
double viscosity_of(const Parameters& parameters, int length);

}  // namespace perturb::lbm
