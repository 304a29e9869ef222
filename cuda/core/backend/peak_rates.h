// Peak rates of a backend's processor according to its specification, for choosing a method without measuring: a choice
// based on measured times would differ from run to run, and so would the results. (Measured rates: roofline.h.)
#pragma once

#include "cuda/core/backend/backend.h"

namespace perturb {

struct PeakRates {
  double fp64 = 0, fp32 = 0;    // flop/s, a fused multiply-add counts as two
  double bytes_per_second = 0;  // memory bandwidth
};

// On CUDA computed from the device's clock, multiprocessors, ratio of single to double precision and memory bus; on the
// CPU from the threads and the width of this build's vector registers at 3 GHz. Correct within a factor of two. Throws
// Error if the device does not answer.
PeakRates peak_rates(const Backend& backend);

namespace detail {
// Defined with the CUDA backend; never called without CUDA.
PeakRates peak_rates_cuda(int device);
}  // namespace detail

}  // namespace perturb
