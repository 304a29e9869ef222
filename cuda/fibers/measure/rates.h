// Estimated cost of an evaluation on a device, by its specification: selects the faster method.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Arithmetic of an evaluation in the chosen precision (a fused multiply-add counted as two) and its traffic, in bytes.
struct FiberWork {
  double flops = 0, bytes = 0;
};
// Cost of `passes` products and of their preparation. `stored` has no meaning for `nodes`.
FiberWork fiber_work(int fibers, const FiberParameters& parameters, FiberKernel kernel, bool stored, double passes);

constexpr double typical_fiber_passes = 14;  // a dozen iterations and the two products around them

// Ratio of the time of an evaluation to that by the device's specification, for closed forms and for sums over nodes.
// Constants, measured on usual devices (docs/benchmarks). The kernels differ in rounding, so a choice by times of this
// run could make the result of a command vary.
struct FiberRates {
  double closed = 1, nodes = 1;
};
FiberRates typical_fiber_rates(const Backend& backend, const FiberParameters& parameters);

// Seconds of an evaluation by the device's specification (cuda/core/bench/peak_rates.h) at the usual number of passes,
// for comparing kernels: their ratio depends neither on the clock nor on the number of threads.
double fiber_seconds_by_specification(const Backend& backend, int fibers, const FiberParameters& parameters,
                                      FiberKernel kernel, bool stored);

}  // namespace perturb::fibers
