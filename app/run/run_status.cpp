#include "app/run/run_status.h"

#include <algorithm>
#include <tuple>

#include "app/run/kernel_measurement.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/launch/launch_map.h"
#include "cuda/core/simulation/completion.h"
#include "cuda/core/simulation/inspection.h"

namespace perturb {

namespace {

std::optional<KernelTiming> find_timing(const std::vector<KernelTiming>& timings, const std::string& kernel) {
  const auto found =
      std::find_if(timings.begin(), timings.end(), [&](const KernelTiming& timing) { return timing.kernel == kernel; });
  return found == timings.end() ? std::nullopt : std::optional(*found);
}

// Bound on the number of blocks on a multiprocessor of the CUDA device.
OccupancyLimit occupancy_limit(const LaunchShape& shape) {
  if (shape.block_x == 0) return OccupancyLimit::not_launched;
  static const GpuRules* const rules = gpu_rules(cuda_status().compute_capability);
  if (!rules) return OccupancyLimit::not_launched;
  const int threads = shape.block_x * std::max(1, shape.block_y);
  return occupancy_of(*rules, {threads, shape.registers_per_thread, shape.shared_bytes}).limit;
}

// The kernels' cost and launch, and their times if they have been measured on this device.
std::vector<KernelStatus> kernels_of(Experiment& experiment) {
  Simulation& simulation = experiment.simulation();
  const bool cuda = experiment.backend().is_cuda();
  const std::vector<KernelTiming> measured =
      TimingCache::of_process().table(kernel_table_key(experiment.backend(), experiment.scene()));
  std::vector<KernelStatus> kernels;
  for (const KernelVariant& kernel : simulation.info().kernels) {
    KernelStatus& of = kernels.emplace_back();
    if (!(cuda ? kernel.on_cuda : kernel.on_cpu)) continue;
    of.cost = simulation.step_cost(kernel.id);
    of.shape = simulation.launch_shape(kernel.id);
    of.limit = occupancy_limit(of.shape);
    of.timing = find_timing(measured, kernel.id);
  }
  return kernels;
}

}  // namespace

double RunStatus::value_of(const std::string& parameter) const {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (info->parameters[k].id == parameter) return parameters[k];
  throw InputError("Unknown parameter \"{}\".", parameter);
}

double RunStatus::initial_of(const ValueInfo& setting) const {
  if (setting.as_parameter.empty()) return setting.initial;
  return std::clamp(value_of(setting.as_parameter), setting.minimum, setting.maximum);
}

Message name_of(const SceneObject& object, const RunStatus& run) {
  const ActionKind* kind = find_kind(run.info->actions, object.kind);
  const Message label = kind ? Message(kind->label) : Message::value(object.kind);
  int count = 0, number = 0;
  for (const SceneObject& other : run.objects) {
    if (other.kind != object.kind) continue;
    ++count;
    if (other.id == object.id) number = count;
  }
  return count > 1 ? Message("{} {}", label, number) : label;
}

RunStatus status_of(Experiment& experiment, const RunStatus* before) {
  Simulation& simulation = experiment.simulation();
  RunStatus status;
  status.info = &experiment.info();
  status.backend = &experiment.backend();
  status.runs_on_cpu = status.backend != &experiment.backends().preferred();
  status.shown = experiment.shown();
  status.steps = simulation.steps();
  std::tie(status.first_step, status.last_step) = experiment.past();
  status.time = simulation.time();
  status.domain_width = simulation.domain_width();
  status.domain_height = simulation.domain_height();
  const ParameterSet parameters = simulation.parameters();
  for (const Parameter& p : parameters.table()) status.parameters.push_back(parameters.get(p));
  status.objects = simulation.objects();
  if (const auto* placer = simulation.find<ObjectPlacer>()) status.placeable = placer->placeable();
  status.can_inspect = simulation.find<Inspectable>() != nullptr;
  status.maps_launch = simulation.find<MapsLaunch>() != nullptr;
  status.gauges = simulation.gauges();
  if (const auto* completing = simulation.find<HasCompletion>()) status.completion = completing->completion();
  status.kernel = simulation.selected_kernel();
  if (const auto* editable = simulation.find<EditableCell>()) {
    status.kernel_source = &editable->kernel_source();
    try {
      status.rows_class = editable->rows_class();
    } catch (const InputError&) {
    }
  }
  status.edited_kernel_failure = experiment.edited_kernel_failure();
  status.returns = experiment.returns();
  status.stop_reason = experiment.stop_reason();
  status.can_restore_last_good = !status.stop_reason.empty() && experiment.can_restore_last_good();
  status.has_sought_remedy = experiment.has_sought_remedy();
  status.remedy = experiment.remedy();
  status.next_undo = experiment.next_undo();
  status.next_redo = experiment.next_redo();
  status.undo_opens_scene = experiment.undo_opens_scene();
  status.redo_opens_scene = experiment.redo_opens_scene();
  status.opening = experiment.opening();
  status.last_change = experiment.last_change();
  status.last_step_change = experiment.last_change_of_past();
  status.events = experiment.log().size();
  if (before) {
    status.scene = before->scene;
    status.kernel_choice = before->kernel_choice;
    status.kernels = before->kernels;
    status.roofline = before->roofline;
    return status;
  }
  status.scene = std::make_shared<const Scene>(experiment.scene());
  status.kernel_choice = simulation.choice();
  status.kernels = kernels_of(experiment);
  status.roofline = TimingCache::of_process().roofline(measured_device(experiment.backend()));
  return status;
}

}  // namespace perturb
