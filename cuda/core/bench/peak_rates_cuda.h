// The CUDA side of peak_rates.h: peak_rates_cuda.cu, or peak_rates_no_cuda.cpp in a build without CUDA.
#pragma once

#include "cuda/core/bench/peak_rates.h"

namespace perturb::detail {

PeakRates peak_rates_cuda(int device);

}  // namespace perturb::detail
