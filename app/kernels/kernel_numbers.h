// Numbers of the kernels of a run by name, for formulas of lessons.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/run_status.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// "fused.seconds_per_step" (seconds), ".bytes_per_cell", ".flops_per_cell", ".roofline_fraction" of every kernel, with
// "_" for "-"; "fastest.seconds_per_step" and "slowest.seconds_per_step" of those measured on this backend.
std::vector<std::string> kernel_number_names(const SimulationInfo& info);

// The value of such a name, or of "copy_bandwidth" (bytes/s) and "peak_flops" (flop/s). None: there is no such name.
// no_value: this backend does not have the kernel. Throws InputError if it has to be measured first.
std::optional<double> kernel_number(const RunStatus& run, const std::string& name);

// Why the run's backend does not have this kernel; empty: it has it.
Message missing_kernel_reason(const Backend& backend, const KernelVariant& kernel);

}  // namespace perturb
