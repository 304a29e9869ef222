// Effect of a time step on an orbit. Within a cloud fibers and fluid circulate. A scheme with steps too long makes
// their orbits wider or narrower each turn, so that the cloud opens, or not, for numerical reasons only.
#pragma once

#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Relative growth of an orbit x' = i omega x after a turn (below zero: shrinkage), with theta = omega dt = `radians`
// per step: |z|^(2 pi/theta) - 1, z the larger root of the scheme's polynomial. Two-step: 3 z² - (4 + 4 i theta) z + 1
// + 2 i theta; Adams-Bashforth: z² - (1 + 3/2 i theta) z + 1/2 i theta; Runge-Kutta: z is the exponential's first
// terms.
double fiber_orbit_growth(Scheme scheme, double radians);

}  // namespace perturb::fibers
