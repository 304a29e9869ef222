#include "cuda/fibers/fibers_rates.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "cuda/core/kernel_choice.h"
#include "cuda/core/peak_rates.h"
#include "cuda/fibers/fibers_evaluate.h"
#include "cuda/fibers/fibers_flow.h"
#include "cuda/fibers/fibers_interaction.h"
#include "cuda/fibers/fibers_node_cell.h"

namespace perturb::fibers {

namespace {

constexpr double usual_close = 4;  // pairs of the kernel `nodes` that get closed forms, for each fiber
// As many fibers as fill the device, and take some hundredths of a second.
constexpr int cloud_on_cuda = 512, cloud_on_cpu = 64;
constexpr double cloud_radius = 4;
constexpr int measurements = 3;

std::string key_of(const Backend& backend, const FiberParameters& p) {
  std::string key = backend.device_name();
  if (!backend.is_cuda()) key += ", " + std::to_string(backend.threads()) + " threads";
  return key + " | fibers | " + (p.precision == FiberPrecision::fp32 ? "fp32" : "fp64") +
         " times those of the specification";
}

// The rates do not depend on what else is set: the cloud is evaluated with the defaults.
FiberParameters measured_with(const FiberParameters& p) {
  FiberParameters plain;
  plain.precision = p.precision;
  return plain;
}

double seconds_of_evaluation(Backend& backend, const FiberPlacement& cloud, const FiberParameters& p,
                             FiberKernel kernel) {
  const std::size_t size = cloud.position.size();
  Array<double> x(backend, size, "x"), t(backend, size, "t"), v(backend, size, "v"), w(backend, size, "w");
  Array<double> a(backend, size * static_cast<std::size_t>(p.terms), "a");
  x.upload(cloud.position), t.upload(cloud.tangent);
  FiberFlow flow(backend, cloud.count(), p, kernel, true);
  double least = 0;
  for (int k = 0; k <= measurements; ++k) {  // the first one loads kernels
    backend.synchronize();
    const auto start = std::chrono::steady_clock::now();
    const FiberSolve solve = flow.evaluate(p, x.data(), t.data(), {}, v.data(), w.data(), a.data());
    backend.synchronize();
    // A product more or less is no matter of the device.
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() *
                           usual_fiber_passes / (solve.iterations + 2);
    least = k <= 1 ? seconds : std::min(least, seconds);
  }
  return least;
}

}  // namespace

FiberWork fiber_work(int fibers, const FiberParameters& p, FiberKernel kernel, bool stored, double passes) {
  const double real = p.precision == FiberPrecision::fp32 ? 4 : 8, count = fibers;
  // A far pair's closed form, counted in fibers_cell.h (near ones cost about the same), and its
  // sums over the outer points.
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

double fiber_seconds_by_specification(const Backend& backend, int fibers, const FiberParameters& p, FiberKernel kernel,
                                      bool stored) {
  const PeakRates peak = peak_rates(backend);
  const double rate = std::max(1.0, p.precision == FiberPrecision::fp32 ? peak.fp32 : peak.fp64);
  const FiberWork work = fiber_work(fibers, p, kernel, stored, usual_fiber_passes);
  return work.flops / rate + work.bytes / std::max(1.0, peak.bytes_per_second);
}

std::optional<FiberRates> known_fiber_rates(const Backend& backend, const FiberParameters& p) {
  const auto timings = KernelBook::of_process().find(key_of(backend, p));
  if (!timings) return std::nullopt;
  FiberRates rates{0, 0};
  for (const KernelTiming& timing : *timings)
    (timing.kernel == "nodes" ? rates.nodes : rates.closed) = timing.seconds_per_step;
  if (rates.closed <= 0 || rates.nodes <= 0) return std::nullopt;
  return rates;
}

void keep_fiber_rates(const Backend& backend, const FiberParameters& p, FiberRates rates) {
  KernelBook::of_process().add(key_of(backend, p), {{"stable", rates.closed}, {"nodes", rates.nodes}});
}

FiberRates measured_fiber_rates(Backend& backend, const FiberParameters& parameters) {
  if (const auto known = known_fiber_rates(backend, parameters)) return *known;
  const FiberParameters p = measured_with(parameters);
  const FiberPlacement cloud = fiber_cloud(backend.is_cuda() ? cloud_on_cuda : cloud_on_cpu, cloud_radius, 0.04, 1);
  const auto ratio = [&](FiberKernel kernel) {
    return seconds_of_evaluation(backend, cloud, p, kernel) /
           fiber_seconds_by_specification(backend, cloud.count(), p, kernel, true);
  };
  const FiberRates rates{ratio(FiberKernel::stable), ratio(FiberKernel::nodes)};
  keep_fiber_rates(backend, p, rates);
  return rates;
}

}  // namespace perturb::fibers
