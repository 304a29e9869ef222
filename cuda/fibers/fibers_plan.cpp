#include "cuda/fibers/fibers_plan.h"

#include <algorithm>

#include "cuda/core/shown.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers.h"
#include "cuda/fibers/fibers_flow.h"

namespace perturb::fibers {

namespace {

constexpr double usable_share = 0.75;  // of free memory: others need some, and what comes later
constexpr double worth_it = 0.7;       // sums over nodes must be cheaper than this, for they are a little less exact

std::string seconds_in_words(double seconds) {
  return seconds < 1 ? number_in_words(1e3 * seconds, 3) + " ms" : number_in_words(seconds, 3) + " s";
}

}  // namespace

const std::string& fiber_word(FiberKernel kernel) {
  return fibers_simulation().kernels[kernel_place(fibers_simulation(), kernel)].id;
}

FiberKernel fiber_kernel_of(const std::string& id) {
  return kernel_of<FiberKernel>(fibers_simulation(), kernel_index(fibers_simulation(), id));
}

FiberPlan plan_fibers(const Backend& backend, int fibers, const FiberParameters& p, const std::string& kernel,
                      std::size_t free_memory, FiberRates rates) {
  const int tile = fiber_tile(backend);
  const bool automatic = kernel == "auto";
  FiberPlan plan;
  if (!automatic) plan.kernel = fiber_kernel_of(kernel);
  const std::size_t whole = FiberFlow::bytes(fibers, p, tile, FiberKernel::stable, true);
  const double free = static_cast<double>(free_memory);
  const bool fits = static_cast<double>(whole) <= usable_share * free;
  plan.stored = p.storage == FiberStorage::stored || (p.storage == FiberStorage::automatic && fits);

  const double closed =
      rates.closed * fiber_seconds_by_specification(backend, fibers, p, FiberKernel::stable, plan.stored);
  const double nodes =
      rates.nodes * fiber_seconds_by_specification(backend, fibers, p, FiberKernel::nodes, plan.stored);
  // Whoever says where the matrix is to be wants one.
  if (automatic && p.storage == FiberStorage::automatic) {
    // What is computed anew needs room too: partial sums of all pairs of tiles.
    const std::size_t anew = FiberFlow::bytes(fibers, p, tile, FiberKernel::stable, false);
    const bool room = plan.stored || static_cast<double>(anew) <= usable_share * free;
    if (!room || nodes < worth_it * closed) plan.kernel = FiberKernel::nodes;
  }

  const bool without = plan.kernel == FiberKernel::nodes;
  const std::string matrix = bytes_in_words(whole), available = bytes_in_words(free_memory);
  const std::string lacking = " (it would take " + matrix + ", and " + available + " are free)";
  plan.words = (automatic ? "Automatic: " : "Chosen: ") + fiber_word(plan.kernel);
  if (without)
    plan.words += ", sums without a matrix" + (fits ? std::string() : lacking);
  else if (plan.stored)
    plan.words += ", the matrix stored (" + matrix + " of " + available + " free)";
  else
    plan.words += ", the matrix computed anew in every iteration" + (fits ? std::string() : lacking);
  plan.words += ".";
  if (automatic)
    plan.words += " On this device an evaluation takes about " + seconds_in_words(closed) + " with closed forms, " +
                  seconds_in_words(nodes) + " with sums over nodes.";
  return plan;
}

bool fiber_plan_is_close(const Backend& backend, int fibers, const FiberParameters& p) {
  const double nodes = fiber_seconds_by_specification(backend, fibers, p, FiberKernel::nodes, true);
  // Closed forms cost least when the matrix is stored, and most when it is computed anew in every product.
  const double least = fiber_seconds_by_specification(backend, fibers, p, FiberKernel::stable, true);
  const double most = fiber_seconds_by_specification(backend, fibers, p, FiberKernel::stable, false);
  constexpr double doubt = 4;
  return nodes < doubt * most && nodes * doubt > worth_it * least;
}

}  // namespace perturb::fibers
