#include "cuda/fibers/measure/rates.h"

#include <algorithm>

#include "cuda/core/bench/peak_rates.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/kernels/node_cell.h"

namespace perturb::fibers {

namespace {

constexpr double typical_close_pairs = 4;  // pairs of the kernel `nodes` that get closed forms, per fiber

}  // namespace

FiberWork fiber_work(int fibers, const FiberParameters& p, FiberKernel kernel, bool stored, double passes) {
  const double real = p.precision == FiberPrecision::fp32 ? 4 : 8, count = fibers;
  // A far pair's closed form, counted in model/cell.h (near ones cost about the same), and its
  // sums over the outer points.
  const int n = fiber_order(p.terms) + 1;
  const double points = p.subintervals * p.points_per_subinterval;
  const double pairs = 0.5 * count * (count - 1) * (p.pairing == FiberPairing::both ? 2 : 1);
  const double inner = 28 * 17 + n * (n + 2) * 4 + n * fiber_tensor * 5 + 60, outer = 2.0 * fiber_tensor * n * n;
  const double once = points * (inner + outer), product = 4 * 9 * (n - 1) * (n - 1);
  if (kernel == FiberKernel::nodes) {
    const double nodes = count * p.node_points, close = std::min(pairs, typical_close_pairs * count);
    return {passes * nodes * nodes * fiber_node_flops + close * once, passes * nodes * 12 * real};
  }
  const double matrix = fiber_tensor * real * n * n, read = fiber_tensor * real * (n - 1) * (n - 1);
  if (stored) return {pairs * (once + passes * product), pairs * (matrix + passes * read)};
  return {pairs * passes * (once + product), pairs * passes * 2 * matrix};
}

FiberRates typical_fiber_rates(const Backend& backend, const FiberParameters& p) {
  const bool fp32 = p.precision == FiberPrecision::fp32;
  // Measured on an H200 with 1000 to 10 000 fibers, and on two cores of an EPYC with a small cloud.
  if (backend.is_cuda()) return fp32 ? FiberRates{2, 1.75} : FiberRates{1.5, 1.85};
  return fp32 ? FiberRates{23, 9} : FiberRates{9.3, 7.7};
}

double fiber_seconds_by_specification(const Backend& backend, int fibers, const FiberParameters& p, FiberKernel kernel,
                                      bool stored) {
  const PeakRates peak = peak_rates(backend);
  // More threads than memory bandwidth serves would shift the balance between arithmetic and traffic, and so the
  // choice: all count as if memory served them.
  constexpr double served = 8;
  const double beyond = backend.is_cuda() ? 1 : std::max(1.0, backend.threads() / served);
  const double rate = std::max(1.0, p.precision == FiberPrecision::fp32 ? peak.fp32 : peak.fp64);
  const FiberWork work = fiber_work(fibers, p, kernel, stored, typical_fiber_passes);
  return work.flops / rate + work.bytes / std::max(1.0, peak.bytes_per_second * beyond);
}

}  // namespace perturb::fibers
