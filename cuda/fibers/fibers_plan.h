// How an evaluation is computed: which kernel, and whether the matrix is stored.
#pragma once

#include <string>

#include "cuda/core/backend.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_params.h"

namespace perturb {

// An evaluation's arithmetic in the chosen precision (a fused multiply-add counted as two) and its traffic, in bytes.
struct FiberWork {
  double flops = 0, bytes = 0;
};

// What `passes` products and what they need cost. `stored` has no meaning for `nodes`.
FiberWork fiber_work(int fibers, const FiberParameters& parameters, FiberKernel kernel, bool stored, double passes);

struct FiberPlan {
  FiberKernel kernel = FiberKernel::stable;
  bool stored = true;
  std::string words;  // for the user: what was chosen, and why
};

// `kernel`: an id of the simulation's kernels, or "auto", the cheapest by this backend's rates (peak_rates.h) among those
// that fit: closed forms stored where three quarters of `free_memory` hold them or computed anew in every product, or sums
// over nodes. Counted, not timed, so that a run chooses the same again. Throws InputError for an unknown kernel.
FiberPlan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                      std::size_t free_memory);

// The kernel of an id other than "auto". Throws InputError.
FiberKernel fiber_kernel_of(const std::string& id);

}  // namespace perturb
