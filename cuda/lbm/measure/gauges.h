// How near a flow is to what the scheme can bear.
#pragma once

#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/lbm/measure/sums.h"
#include "cuda/lbm/parameters.h"

namespace perturb::lbm {

// Relaxation rate, peak speed and cell Reynolds number; with TRT the speed at an inlet, and beside walls how much a
// flow slips along them. `latest`: the latest measurement, null while there is none; `length`: that of the Reynolds
// number, cells.
std::vector<Gauge> lbm_gauges(const Parameters& parameters, const Sums* latest, int length, bool walls);

}  // namespace perturb::lbm
