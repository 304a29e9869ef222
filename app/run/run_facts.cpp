#include "app/run/run_facts.h"

#include "cuda/core/check.h"

namespace perturb {

double RunFacts::value_of(const std::string& parameter) const {
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (info->parameters[k].id == parameter) return parameters[k];
  throw InputError("There is no parameter \"" + parameter + "\".");
}

RunFacts facts_of(Experiment& experiment, const RunFacts* before) {
  Simulation& simulation = experiment.simulation();
  RunFacts facts;
  facts.info = &experiment.info();
  facts.shown = experiment.shown();
  facts.steps = simulation.steps(), facts.time = simulation.time();
  facts.domain_width = simulation.domain_width(), facts.domain_height = simulation.domain_height();
  const ParameterSet parameters = simulation.parameters();
  for (const Parameter& p : parameters.table()) facts.parameters.push_back(parameters.get(p));
  facts.gauges = simulation.gauges();
  facts.kernel = simulation.selected_kernel();
  facts.trouble = experiment.trouble();
  facts.can_restore_last_good = !facts.trouble.empty() && experiment.can_restore_last_good();
  facts.next_undo = experiment.next_undo(), facts.next_redo = experiment.next_redo();
  facts.undo_opens_scene = experiment.undo_opens_scene(), facts.redo_opens_scene = experiment.redo_opens_scene();
  facts.opening = experiment.opening(), facts.last_change = experiment.last_change();
  facts.events = experiment.log().size();
  if (before) {
    facts.scene = before->scene;
    facts.kernel_choice = before->kernel_choice, facts.kernels = before->kernels;
    return facts;
  }
  facts.scene = std::make_shared<const Scene>(experiment.scene());
  facts.kernel_choice = simulation.choice();
  const bool cuda = experiment.backend().is_cuda();
  for (const KernelVariant& kernel : facts.info->kernels) {
    KernelFacts& of = facts.kernels.emplace_back();
    if (!(cuda ? kernel.on_cuda : kernel.on_cpu)) continue;
    const StepCost cost = simulation.step_cost(kernel.id);
    if (cost.cells > 0) of.bytes_per_cell = cost.bytes / cost.cells;
    of.shape = simulation.launch_shape(kernel.id);
  }
  return facts;
}

}  // namespace perturb
