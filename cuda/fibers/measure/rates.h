// What an evaluation takes on a device, by its specification: which way to compute is the faster one.
#pragma once

#include "cuda/core/backend/backend.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// An evaluation's arithmetic in the chosen precision (a fused multiply-add counted as two) and its traffic, in bytes.
struct FiberWork {
  double flops = 0, bytes = 0;
};
// What `passes` products and what they need cost. `stored` has no meaning for `nodes`.
FiberWork fiber_work(int fibers, const FiberParameters& parameters, FiberKernel kernel, bool stored, double passes);

constexpr double typical_fiber_passes = 14;  // a dozen iterations and the two products around them

// How much longer an evaluation takes than by the device's specification, for closed forms and for sums over nodes.
// Constants, as they were measured on usual devices (docs/benchmarks): the kernels differ in rounding, so that a choice
// by times of this very run would give the same command other bits now and then.
struct FiberRates {
  double closed = 1, nodes = 1;
};
FiberRates typical_fiber_rates(const Backend& backend, const FiberParameters& parameters);

// Seconds that an evaluation takes by the device's specification (core/peak_rates.h) at the usual number of passes,
// for comparing kernels: their ratio depends neither on the clock nor on the number of threads.
double fiber_seconds_by_specification(const Backend& backend, int fibers, const FiberParameters& parameters,
                                      FiberKernel kernel, bool stored);

}  // namespace perturb::fibers
