#include "app/kernels/kernel_numbers.h"

#include <algorithm>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr const char* of_a_kernel[] = {"seconds_per_step", "bytes_per_cell", "flops_per_cell", "roofline_fraction"};
constexpr const char *fastest = "fastest.seconds_per_step", *slowest = "slowest.seconds_per_step";

std::string formula_name(std::string id) {
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

[[noreturn]] void fail_unmeasured() {
  throw InputError(
      "The kernels are not measured yet. Wait for their times, or press \"Measure all\" in the tab Kernels.");
}

double measured(const std::optional<double>& value) {
  if (!value) fail_unmeasured();
  return *value;
}

double number_of(const RunStatus& run, std::size_t k, const std::string& field) {
  if (!missing_kernel_reason(*run.backend, run.info->kernels[k]).empty()) return no_value;
  const KernelStatus& kernel = run.kernels[k];
  if (field == "bytes_per_cell") return kernel.cost.cells > 0 ? kernel.cost.bytes / kernel.cost.cells : no_value;
  if (field == "flops_per_cell") return kernel.cost.cells > 0 ? kernel.cost.flops / kernel.cost.cells : no_value;
  if (field == "roofline_fraction") return measured(figures_of(kernel, run.roofline).roofline_share);
  if (!kernel.timing) fail_unmeasured();
  return kernel.timing->seconds_per_step;
}

}  // namespace

std::vector<std::string> kernel_number_names(const SimulationInfo& info) {
  std::vector<std::string> names = {fastest, slowest};
  for (const KernelVariant& kernel : info.kernels)
    for (const char* field : of_a_kernel) names.push_back(formula_name(kernel.id) + "." + field);
  return names;
}

std::optional<double> kernel_number(const RunStatus& run, const std::string& name) {
  if (name == "copy_bandwidth" || name == "peak_flops") {
    if (!run.roofline) fail_unmeasured();
    return name == "peak_flops" ? run.roofline->flops_per_second : run.roofline->bytes_per_second;
  }
  if (name == fastest || name == slowest) {
    std::vector<double> times;
    for (const KernelStatus& kernel : run.kernels)
      if (kernel.timing) times.push_back(kernel.timing->seconds_per_step);
    if (times.empty()) fail_unmeasured();
    const auto [shortest, longest] = std::minmax_element(times.begin(), times.end());
    return name == fastest ? *shortest : *longest;
  }
  const std::size_t point = name.find('.');
  if (point == std::string::npos) return {};
  const std::string field = name.substr(point + 1);
  if (std::find(std::begin(of_a_kernel), std::end(of_a_kernel), field) == std::end(of_a_kernel)) return {};
  for (std::size_t k = 0; k < run.kernels.size(); ++k)
    if (formula_name(run.info->kernels[k].id) == name.substr(0, point)) return number_of(run, k, field);
  return {};
}

Message missing_kernel_reason(const Backend& backend, const KernelVariant& kernel) {
  if (backend.is_cuda() ? kernel.on_cuda : kernel.on_cpu) return {};
  return backend.is_cuda() ? "on the CPU only" : "needs an NVIDIA GPU";
}

}  // namespace perturb
