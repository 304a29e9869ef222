// What a backend's processor can do by its specification, to choose between ways of computing without measuring: a
// choice by measured times would differ from run to run, and the numbers with it. (What it does: roofline.h.)
#pragma once

#include "cuda/core/backend/backend.h"

namespace perturb {

struct PeakRates {
  double fp64 = 0, fp32 = 0;    // flop/s, a fused multiply-add counted as two
  double bytes_per_second = 0;  // of memory
};

// On CUDA from the device's clock, multiprocessors, ratio of single to double precision and memory bus; on the CPU from
// the threads and the width of this build's vector registers at 3 GHz. Right within a factor of two. Throws Error when
// the device does not answer.
PeakRates peak_rates(const Backend& backend);

}  // namespace perturb
