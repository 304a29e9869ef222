// The measured peak rates of this machine: the roofline that kernels are compared with.
//
// Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore architectures" (2009).
#pragma once

#include <algorithm>

#include "cuda/core/backend/backend.h"

namespace perturb {

struct Roofline {
  double bytes_per_second = 0;  // to and from memory, reads and writes counted equally
  double flops_per_second = 0;  // FP32, a fused multiply-add counts as two

  // The minimum time for work that moves `bytes` and computes `flops` concurrently.
  double least_seconds(double bytes, double flops) const {
    const double moving = bytes_per_second > 0 ? bytes / bytes_per_second : 0;
    const double computing = flops_per_second > 0 ? flops / flops_per_second : 0;
    return std::max(moving, computing);
  }
};

// Takes one to two seconds, and a gigabyte of the backend's memory (less if less is free). On CUDA the bandwidth is
// that of a device-to-device copy. On the CPU it is the better of a copy and of an update in place: a copy also has to
// fetch the lines that it overwrites, so alone it would set the roof too low. Throws Error if memory is short.
Roofline measure_roofline(Backend& backend);

}  // namespace perturb
