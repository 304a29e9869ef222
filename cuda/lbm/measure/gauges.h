// Stability gauges: how close a flow is to the limits of the scheme.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Relaxation rate, peak speed and cell Reynolds number; with TRT the speed at an inlet; with walls the slip along them.
// `latest`: the latest measurement, null while there is none; `length`: the length of the Reynolds
// number, in cells.
std::vector<Gauge> lbm_gauges(const Parameters& parameters, const Sums* latest, int length, bool walls);

}  // namespace perturb::lbm
