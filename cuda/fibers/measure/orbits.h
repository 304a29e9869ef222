// What a time step does to an orbit. Within a cloud fibers and fluid circulate; a scheme with steps too long makes
// their orbits wider or narrower each turn, and the cloud opens, or not, for no reason of physics.
#pragma once

#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// By what share an orbit x' = i omega x is wider (above zero) or narrower after a turn, with theta = omega dt =
// `radians` a step: |z|^(2 pi/theta) - 1, z the larger root of the scheme's polynomial. Two-step:
// 3 z² - (4 + 4 i theta) z + 1 + 2 i theta; Adams-Bashforth: z² - (1 + 3/2 i theta) z + 1/2 i theta; Runge-Kutta: z is
// the exponential's first terms.
double fiber_orbit_growth(Scheme scheme, double radians);

}  // namespace perturb::fibers
