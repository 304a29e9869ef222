// How near a run of fibers is to the limits of the method and of the scheme.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/fibers/measure/describe.h"

namespace perturb::fibers {

// The bound on the number of terms, of the fiber whose half-length is `shortest`; the scheme's error of orbits;
// overlapping fibers. `latest`: the latest measurement, null if there is none.
std::vector<Gauge> fiber_gauges(const FiberParameters& parameters, const FiberMeasured* latest, double shortest);

}  // namespace perturb::fibers
