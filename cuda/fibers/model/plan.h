// Plan of an evaluation: the kernel, and whether the matrix is stored, chosen by the estimated cost on a device.
#pragma once

#include <cmath>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// Arithmetic of an evaluation in the chosen precision (a fused multiply-add counted as two) and its traffic, in bytes.
struct Work {
  double flops = 0, bytes = 0;
};
// Cost of `passes` products and of their preparation. `stored` has no meaning for sums over nodes.
Work fiber_work(int fibers, const Parameters& parameters, Kernel kernel, bool stored, double passes);

constexpr double typical_fiber_passes = 14;  // a dozen iterations and the two products around them

// Ratio of the time of an evaluation to that by the device's specification, for closed forms and for both kinds of sums
// over nodes. Constants, measured on usual devices (docs/benchmarks). The kernels differ in rounding, so a choice by
// times of this run could make the result of a command vary.
struct Rates {
  double closed = 1, nodes = 1;
  double levels = INFINITY;  // never chosen: not measured
};
Rates typical_fiber_rates(const Backend& backend, const Parameters& parameters);

// Seconds of an evaluation by the device's specification (core/backend/peak_rates.h) at the usual number of passes, for
// comparing kernels: their ratio depends neither on the clock nor on the number of threads.
double seconds_by_specification(const Backend& backend, int fibers, const Parameters& parameters, Kernel kernel,
                                bool stored);

struct Plan {
  Kernel kernel = Kernel::stable;
  bool stored = true;
  Message words;  // for the user: the choice, and its reason
};

// Memory of the device: free now, and in total.
struct DeviceMemory {
  std::size_t free = 0, total = 0;
};

// `kernel`: an id of the simulation's kernels, or "auto", the fastest by `rates`: closed forms, stored or recomputed in
// every product, or sums over nodes, `nodes` or `levels`. The kernels differ in rounding, so "auto" depends on the
// device alone, its specification and its total memory, and the same command uses the same kernel again. There is one
// exception: if three quarters of the free memory cannot hold even the partial sums of closed forms, it uses sums over
// nodes instead, and reports that. If they can hold the matrix, it is stored. Throws InputError for an unknown kernel.
Plan plan_fibers(const Backend& backend, int fibers, const Parameters& parameters, const std::string& kernel,
                 DeviceMemory room, Rates rates);
// With the usual rates.
Plan plan_fibers(const Backend& backend, int fibers, const Parameters& parameters, const std::string& kernel,
                 DeviceMemory room);

// Id of a kernel, and the kernel of an id other than "auto"; throws InputError if there is none.
const std::string& id_of(Kernel kernel);
Kernel fiber_kernel_of(const std::string& id);

}  // namespace perturb::fibers
