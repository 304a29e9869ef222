// Figures of a kernel in the table of kernels: its cost, its measured time, and the rates that follow from them.
#pragma once

#include <optional>
#include <vector>

#include "cuda/core/launch/occupancy.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/timing/kernel_choice.h"
#include "cuda/core/timing/roofline.h"

namespace perturb {

struct KernelStatus {
  StepCost cost;                       // of a step; zeros: unknown
  LaunchShape shape;                   // no block: unknown, as on the CPU
  OccupancyLimit limit{};              // bound on the occupancy; `not_launched`: unknown
  std::optional<KernelTiming> timing;  // none: not measured
};

// The occupancy of a launch on each of paper_gpus() with the registers that this GPU's version of the kernel uses; on a
// GPU that has fewer for a thread, with all of those. No block: it cannot be launched there.
std::vector<Occupancy> paper_occupancies(const LaunchShape& shape);

// Rates of a kernel; none: not known, because the time, the cost or the roof is not.
struct KernelFigures {
  std::optional<double> cells_per_second;  // in units of StepCost::rate_unit
  std::optional<double> bytes_per_second;  // the least memory traffic of a step, divided by its time
  std::optional<double> flops_per_second;
  std::optional<double> intensity;  // flop per byte
  // The time that this machine would need at its peak rates as a fraction of the measured time. Above 1 if the data
  // stay in a cache, which is faster than the memory.
  std::optional<double> roofline_share;
  bool is_memory_bound = false;  // the roof is the bandwidth of the memory, not the arithmetic
};
KernelFigures figures_of(const KernelStatus& kernel, const std::optional<Roofline>& roofline);

}  // namespace perturb
