// How near a flow is to what the scheme can bear.
#pragma once

#include <vector>

#include "cuda/core/diagnostics.h"
#include "cuda/lbm/lbm_params.h"
#include "cuda/lbm/lbm_sums.h"

namespace perturb {

// Relaxation rate, peak speed and cell Reynolds number, and with TRT the speed at an inlet. `latest`: the latest
// measurement, null while there is none.
std::vector<Gauge> lbm_gauges(const LbmParameters& parameters, const LbmSums* latest);

}  // namespace perturb
