// How an evaluation is computed: which kernel, and whether the matrix is stored.
#pragma once

#include <string>

#include "cuda/core/backend.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_params.h"
#include "cuda/fibers/fibers_rates.h"

namespace perturb::fibers {

struct FiberPlan {
  FiberKernel kernel = FiberKernel::stable;
  bool stored = true;
  std::string words;  // for the user: what was chosen, and why
};

// `kernel`: an id of the simulation's kernels, or "auto", the fastest by `rates` among those that fit: closed forms
// stored where three quarters of `free_memory` hold them or computed anew in every product (whose partial sums must fit
// likewise), or sums over nodes. The
// kernels differ in rounding, so a run chooses the same again only where its device's rates are kept
// (core/kernel_choice.h) or the kernel is named. Throws InputError for an unknown kernel.
FiberPlan plan_fibers(const Backend& backend, int fibers, const FiberParameters& parameters, const std::string& kernel,
                      std::size_t free_memory, FiberRates rates = {});
// Whether the device's real rates could matter for "auto": not for a few fibers, where closed forms are cheaper by far.
bool fiber_plan_is_close(const Backend& backend, int fibers, const FiberParameters& parameters);

// A kernel's id, and the kernel of an id other than "auto"; throws InputError where there is none.
const std::string& fiber_word(FiberKernel kernel);
FiberKernel fiber_kernel_of(const std::string& id);

}  // namespace perturb::fibers
