#include "app/run/run_status.h"

#include "cuda/core/backend/check.h"

namespace perturb {

double RunStatus::value_of(const std::string& parameter) const {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (info->parameters[k].id == parameter) return parameters[k];
  throw InputError("Unknown parameter \"{}\".", parameter);
}

RunStatus status_of(Experiment& experiment, const RunStatus* before) {
  Simulation& simulation = experiment.simulation();
  RunStatus status;
  status.info = &experiment.info();
  status.backend = &experiment.backend();
  status.runs_on_cpu = status.backend != &experiment.backends().preferred();
  status.shown = experiment.shown();
  status.steps = simulation.steps(), status.time = simulation.time();
  status.domain_width = simulation.domain_width(), status.domain_height = simulation.domain_height();
  const ParameterSet parameters = simulation.parameters();
  for (const Parameter& p : parameters.table()) status.parameters.push_back(parameters.get(p));
  status.objects = simulation.objects();
  if (const auto* placer = dynamic_cast<const ObjectPlacer*>(&simulation)) status.placeable = placer->placeable();
  status.gauges = simulation.gauges();
  status.kernel = simulation.selected_kernel();
  status.stop_reason = experiment.stop_reason();
  status.can_restore_last_good = !status.stop_reason.empty() && experiment.can_restore_last_good();
  status.has_sought_remedy = experiment.has_sought_remedy(), status.remedy = experiment.remedy();
  status.next_undo = experiment.next_undo(), status.next_redo = experiment.next_redo();
  status.undo_opens_scene = experiment.undo_opens_scene(), status.redo_opens_scene = experiment.redo_opens_scene();
  status.opening = experiment.opening(), status.last_change = experiment.last_change();
  status.events = experiment.log().size();
  if (before) {
    status.scene = before->scene;
    status.kernel_choice = before->kernel_choice, status.kernels = before->kernels;
    return status;
  }
  status.scene = std::make_shared<const Scene>(experiment.scene());
  status.kernel_choice = simulation.choice();
  const bool cuda = experiment.backend().is_cuda();
  for (const KernelVariant& kernel : status.info->kernels) {
    KernelStatus& of = status.kernels.emplace_back();
    if (!(cuda ? kernel.on_cuda : kernel.on_cpu)) continue;
    const StepCost cost = simulation.step_cost(kernel.id);
    if (cost.cells > 0) of.bytes_per_cell = cost.bytes / cost.cells;
    of.shape = simulation.launch_shape(kernel.id);
  }
  return status;
}

}  // namespace perturb
