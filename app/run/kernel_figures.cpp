#include "app/run/kernel_figures.h"

#include <algorithm>
#include <cmath>

namespace perturb {

namespace {

bool is_known(double value) { return std::isfinite(value) && value > 0; }

std::optional<double> quotient(double value, double by) {
  return is_known(value) && is_known(by) ? std::optional(value / by) : std::nullopt;
}

}  // namespace

std::vector<Occupancy> paper_occupancies(const LaunchShape& shape) {
  std::vector<Occupancy> occupancies;
  for (const PaperGpu& gpu : paper_gpus()) {
    const GpuRules& rules = *gpu_rules(gpu.compute_capability);
    occupancies.push_back(
        occupancy_of(rules, {shape.block_x * std::max(1, shape.block_y),
                             std::min(shape.registers_per_thread, rules.max_registers), shape.shared_bytes}));
  }
  return occupancies;
}

KernelFigures figures_of(const KernelStatus& kernel, const std::optional<Roofline>& roofline) {
  const StepCost& cost = kernel.cost;
  const double seconds = kernel.timing ? kernel.timing->seconds_per_step : 0;
  KernelFigures figures;
  figures.cells_per_second = quotient(cost.cells, seconds);
  figures.bytes_per_second = quotient(cost.bytes, seconds);
  figures.flops_per_second = quotient(cost.flops, seconds);
  figures.intensity = quotient(cost.flops, cost.bytes);
  if (!roofline || !is_known(roofline->bytes_per_second) || !is_known(roofline->flops_per_second)) return figures;
  figures.roofline_share = quotient(roofline->min_seconds(cost.bytes, cost.flops), seconds);
  figures.is_memory_bound = cost.bytes / roofline->bytes_per_second >= cost.flops / roofline->flops_per_second;
  return figures;
}

}  // namespace perturb
