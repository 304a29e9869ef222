// What an evaluation takes on this device, measured on a small cloud: which way to compute is the faster one.
#pragma once

#include <optional>

#include "cuda/core/backend.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_params.h"

namespace perturb::fibers {

// An evaluation's arithmetic in the chosen precision (a fused multiply-add counted as two) and its traffic, in bytes.
struct FiberWork {
  double flops = 0, bytes = 0;
};
// What `passes` products and what they need cost. `stored` has no meaning for `nodes`.
FiberWork fiber_work(int fibers, const FiberParameters& parameters, FiberKernel kernel, bool stored, double passes);

constexpr double usual_fiber_passes = 14;  // a dozen iterations and the two products around them

// Seconds that an evaluation should take by the device's specification (core/peak_rates.h) at the usual number of
// passes: right within a factor of a few, good enough to see that a choice is not close.
double fiber_seconds_by_specification(const Backend& backend, int fibers, const FiberParameters& parameters,
                                      FiberKernel kernel, bool stored);

// How much longer an evaluation really takes than that, for closed forms and for sums over nodes.
struct FiberRates {
  double closed = 1, nodes = 1;
};
// As far as it has been measured (core/kernel_choice.h keeps it).
std::optional<FiberRates> known_fiber_rates(const Backend& backend, const FiberParameters& parameters);
// Keeps what was measured.
void keep_fiber_rates(const Backend& backend, const FiberParameters& parameters, FiberRates rates);
// Measures it where it is not known: a fraction of a second, once for each device and precision.
FiberRates measured_fiber_rates(Backend& backend, const FiberParameters& parameters);

}  // namespace perturb::fibers
