#include "cuda/lbm/kernels/stepper.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/lbm/kernels/launches.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/model/curved.h"

namespace perturb::lbm {

namespace {

Kernel kernel_at(std::size_t place) { return kernel_of<Kernel>(lbm_simulation(), place); }
std::size_t place_in_table(Kernel kernel) { return kernel_index_of(lbm_simulation(), kernel); }

constexpr int max_steps = 1 << 20;  // most steps requested from a kernel at once

// The kernels that `auto` tries in this storage, the preferred one first: those built for speed that are
// bit-identical to each other.
std::span<const std::size_t> candidates(const Task& task, bool single) {
  static const std::array<std::size_t, 2> full{place_in_table(Kernel::temporal), place_in_table(Kernel::fused)};
  static const std::array<std::size_t, 1> half{place_in_table(Kernel::half)}, fused{place_in_table(Kernel::fused)};
  if (task.storage == Storage::fp16) return half;
  return single ? std::span<const std::size_t>(fused) : full;
}

}  // namespace

Stepper::Stepper(Backend& backend) : backend_(backend), auto_kernel_(backend, lbm_simulation()) {}

void Stepper::prepare(Lattice& lattice, std::optional<std::size_t> kernel, Storage storage) const {
  if (kernel && storage == Storage::fp16 && kernel_at(*kernel) != Kernel::half)
    throw InputError(
        "The kernel {} needs FP32 storage, and this flow is stored in FP16. Choose the storage FP32, or the kernel "
        "half.",
        lbm_simulation().kernels[*kernel].id);
  lattice.store(kernel ? kernel_at(*kernel) == Kernel::half : storage == Storage::fp16,
                kernel && kernel_at(*kernel) == Kernel::in_place);
}

AutoKernel::Work Stepper::work(const Task& task) const {
  // The time of a step depends on the size, the terms of the collision, and the arrangement of the walls.
  std::string kind = std::to_string(task.flow.width) + "x" + std::to_string(task.flow.height);
  if ((task.features & lbm_forced) != 0) kind += " force";
  if ((task.features & lbm_eddies) != 0) kind += " eddies";
  if (!task.flow.links.empty()) kind += " walls " + task.preset;
  const bool single = steps_singly(task, place_in_table(Kernel::temporal));
  if (single)
    kind += " one by one";
  else if (task.curved)
    kind += " curved";
  return {kind, candidates(task, single)};
}

bool Stepper::computes_curved(const Task& task, std::size_t place) const {
  const Kernel kernel = kernel_at(place);
  return task.curved && !task.moves && !backend_.is_cuda() && task.storage != Storage::fp16 &&
         (kernel == Kernel::temporal || kernel == Kernel::fused);
}

bool Stepper::steps_singly(const Task& task, std::size_t place) const {
  return task.moves || (task.curved && !computes_curved(task, place));
}

std::size_t Stepper::index_of(const std::string& kernel, const Task& task) const {
  return kernel == "auto" ? auto_kernel_.best(work(task)) : kernel_index(lbm_simulation(), kernel);
}

int Stepper::pass(const Task& task, const CurvedRows& curved, Lattice& lattice, MarkedBands& bands, std::int64_t steps,
                  std::size_t place) {
  Kernel kernel = kernel_at(place);
  const int wanted = steps_singly(task, place) ? 1 : static_cast<int>(std::min<std::int64_t>(steps, max_steps));
  const auto steps_of = [&](Kernel k) { return kernel_steps(backend_, k, task.flow, wanted, task.curved); };
  // When a multi-step kernel would take a single step, `fused` is faster.
  if (automatic_ && kernel == Kernel::temporal && steps_of(kernel) <= 1) kernel = Kernel::fused;
  const auto note = [&](int steps_of_pass) {
    if (steps_of_pass > longest_.steps) longest_ = {place, place_in_table(kernel), steps_of_pass};
  };
  if (kernel == Kernel::half) {
    note(1);
    run_half(backend_, task.flow, lattice.half_now(), lattice.half_next(), task.features);
    lattice.swap();
    return 1;
  }
  const int taken = steps_of(kernel);
  note(taken);
  if (kernel != Kernel::in_place) lattice.need_next();
  if (run_kernel(backend_, kernel, task.flow, lattice.now(), lattice.next(), task.features, taken, bands, curved))
    lattice.swap();
  return taken;
}

StepCost Stepper::cost(const std::string& kernel, const Task& task) const {
  const std::size_t place = index_of(kernel, task);
  const Kernel k = kernel_at(place);
  const int steps = k == Kernel::temporal && !steps_singly(task, place)
                        ? std::max(1, kernel_steps(backend_, k, task.flow, max_steps, task.curved))
                        : 1;
  StepCost cost;
  cost.cells = static_cast<double>(task.flow.width) * task.flow.height;
  // Every population, and one byte of boundary links, is read and written once per pass.
  const double bytes = 2 * lbm_links * (k == Kernel::half ? 2.0 : 4.0) + (task.flow.links.empty() ? 0 : 1);
  cost.bytes = cost.cells * bytes / steps;
  double flops = 77;  // counted in lbm_collide_freely: BGK and TRT are the same code
  if ((task.features & lbm_forced) != 0) flops += 12;
  if ((task.features & lbm_eddies) != 0) flops += 38;
  cost.flops = cost.cells * flops;
  cost.rate_unit = "cell/s";
  return cost;
}

LaunchShape Stepper::launch_shape(const std::string& kernel, const Task& task) const {
  const std::size_t k = index_of(kernel, task);
  if (!backend_.is_cuda()) return {};
  return kernel_shape(kernel_at(k), task.flow, task.features);
}

LaunchMap Stepper::launch_map(const std::string& kernel, const Task& task, const Lattice& lattice,
                              const MarkedBands& bands) const {
  const std::size_t chosen = index_of(kernel, task);
  const int wanted = steps_singly(task, chosen) ? 1 : max_steps;
  const Pass pass =
      longest_.steps > 0 && longest_.chosen == chosen
          ? longest_
          : Pass{chosen, chosen, kernel_steps(backend_, kernel_at(chosen), task.flow, wanted, task.curved)};
  const Kernel used = kernel_at(pass.kernel);
  LaunchMap map;
  lattice.with_populations([&](const auto& populations) {
    using Population = std::remove_pointer_t<decltype(populations.data)>;
    constexpr int bytes = static_cast<int>(sizeof(Population));
    const LaunchInput input{task.flow, bytes, bytes * (populations.row(1, 0) - populations.row(0, 0)),
                            computes_curved(task, chosen)};
    if (backend_.is_cuda())
      map = cuda_launch_map(used, input, pass.steps,
                            used == Kernel::temporal && pass.steps == lbm_stream_steps
                                ? streams_resident(task.flow, task.features, bands)
                                : 0);
    else
      map = cpu_launch_map(static_cast<CpuBackend&>(backend_).pool(), used, input, pass.steps);
  });
  map.kernel = lbm_simulation().kernels[pass.kernel].title;
  return map;
}

}  // namespace perturb::lbm
