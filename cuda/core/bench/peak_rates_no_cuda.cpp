#include "cuda/core/bench/peak_rates_cuda.h"

namespace perturb::detail {

PeakRates peak_rates_cuda(int) { return {}; }  // no CUDA backend exists in this build

}  // namespace perturb::detail
