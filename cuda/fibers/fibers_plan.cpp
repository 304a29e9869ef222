#include "cuda/fibers/fibers_plan.h"

#include <algorithm>

#include "cuda/core/check.h"
#include "cuda/core/peak_rates.h"
#include "cuda/core/words.h"
#include "cuda/fibers/fibers_flow.h"
#include "cuda/fibers/fibers_node_cell.h"

namespace perturb {

namespace {

// Shares of the specified rates that the kernels reach, measured on an H200 and on two AVX-512 cores (docs/benchmarks).
constexpr double closed_form_share = 0.45, nodes_share = 0.6, memory_share = 0.8;
constexpr double usual_passes = 14;  // a dozen iterations and the two products around them
constexpr double usual_close = 4;    // pairs of the kernel `nodes` that get closed forms, for each fiber
constexpr double worth_it = 0.7;     // sums over nodes must be cheaper than this, for they are a little less exact

const char* name_of(FiberKernel kernel) {
  return kernel == FiberKernel::stable ? "stable" : kernel == FiberKernel::recursion ? "recursion" : "nodes";
}

std::string seconds_in_words(double seconds) {
  return seconds < 1 ? number_in_words(1e3 * seconds, 3) + " ms" : number_in_words(seconds, 3) + " s";
}

}  // namespace

FiberKernel fiber_kernel_of(const std::string& id) {
  for (const FiberKernel kernel : {FiberKernel::stable, FiberKernel::recursion, FiberKernel::nodes})
    if (id == name_of(kernel)) return kernel;
  throw InputError("The fibers have no kernel \"" + id + "\": choose auto, stable, recursion or nodes.");
}

FiberWork fiber_work(int fibers, const FiberParameters& p, FiberKernel kernel, bool stored, double passes) {
  const double real = p.precision == FiberPrecision::fp32 ? 4 : 8, count = fibers;
  // A far pair's closed form, counted in fibers_cell.h (near ones cost about the same), and its sums over the outer points.
  const int n = fiber_order(p.terms) + 1;
  const double points = p.subintervals * p.points_per_subinterval;
  const double pairs = 0.5 * count * (count - 1) * (p.pairing == FiberPairing::both ? 2 : 1);
  const double inner = 28 * 17 + n * (n + 2) * 4 + n * fiber_tensor * 5 + 60, outer = 2.0 * fiber_tensor * n * n;
  const double once = points * (inner + outer), product = 4 * 9 * (n - 1) * (n - 1);
  if (kernel == FiberKernel::nodes) {
    const double nodes = count * p.node_points, close = std::min(pairs, usual_close * count);
    return {passes * nodes * nodes * fiber_node_flops + close * once, passes * nodes * 12 * real};
  }
  const double matrix = fiber_tensor * real * n * n, read = fiber_tensor * real * (n - 1) * (n - 1);
  if (stored) return {pairs * (once + passes * product), pairs * (matrix + passes * read)};
  return {pairs * passes * (once + product), pairs * passes * 2 * matrix};
}

FiberPlan plan_fibers(const Backend& backend, int fibers, const FiberParameters& p, const std::string& kernel,
                      std::size_t free_memory) {
  const int tile = fiber_tile(backend);
  const bool automatic = kernel == "auto";
  FiberPlan plan;
  if (!automatic) plan.kernel = fiber_kernel_of(kernel);
  const std::size_t whole = FiberFlow::bytes(fibers, p, tile, FiberKernel::stable, true);
  const bool fits = static_cast<double>(whole) <= 0.75 * static_cast<double>(free_memory);
  plan.stored = p.storage == FiberStorage::stored || (p.storage == FiberStorage::automatic && fits);

  const PeakRates peak = peak_rates(backend);
  const double rate = std::max(1.0, p.precision == FiberPrecision::fp32 ? peak.fp32 : peak.fp64);
  const auto seconds = [&](FiberKernel of) {
    const FiberWork work = fiber_work(fibers, p, of, plan.stored, usual_passes);
    return work.flops / (rate * (of == FiberKernel::nodes ? nodes_share : closed_form_share)) +
           work.bytes / (std::max(1.0, peak.bytes_per_second) * memory_share);
  };
  const double closed = seconds(FiberKernel::stable), nodes = seconds(FiberKernel::nodes);
  // Whoever says where the matrix is to be wants one.
  if (automatic && p.storage == FiberStorage::automatic && nodes < worth_it * closed) plan.kernel = FiberKernel::nodes;

  const bool without = plan.kernel == FiberKernel::nodes;
  const std::string matrix = bytes_in_words(whole), free = bytes_in_words(free_memory);
  const std::string lacking = " (it would take " + matrix + ", and " + free + " are free)";
  plan.words = (automatic ? "Automatic: " : "Chosen: ") + std::string(name_of(plan.kernel));
  if (without)
    plan.words += ", sums without a matrix" + (fits ? std::string() : lacking);
  else if (plan.stored)
    plan.words += ", the matrix stored (" + matrix + " of " + free + " free)";
  else
    plan.words += ", the matrix computed anew in every iteration" + (fits ? std::string() : lacking);
  plan.words += ".";
  if (automatic)
    plan.words += " By this device's rates an evaluation takes about " + seconds_in_words(closed) +
                  " with closed forms, " + seconds_in_words(nodes) + " with sums over nodes.";
  return plan;
}

}  // namespace perturb
