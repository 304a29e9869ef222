#include "app/run/run.h"

#include <utility>
#include <vector>

#include "app/edited/edited_kernel.h"
#include "app/race/race.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

bool same_view(const ViewChange& a, const ViewChange& b) {
  const ViewSettings &v = a.view, &w = b.view;
  const Camera &c = a.camera, &d = b.camera;
  return v.quantity == w.quantity && v.colormap == w.colormap && v.minimum == w.minimum && v.maximum == w.maximum &&
         v.automatic == w.automatic && v.smooth == w.smooth && v.layer == w.layer && v.theory == w.theory &&
         c.center_x == d.center_x && c.center_y == d.center_y && c.zoom == d.zoom && c.yaw == d.yaw &&
         c.pitch == d.pitch;
}

std::map<std::string, double> values_of(Simulation& simulation) {
  std::map<std::string, double> values;
  const ParameterSet parameters = simulation.parameters();
  for (const Parameter& p : parameters.table()) values[p.id] = parameters.get(p);
  return values;
}

std::map<std::string, double> values_of(const Run& run) {
  std::map<std::string, double> values = values_of(*run.simulation);
  // A race answers for its first lane.
  if (run.scene.lanes.empty()) return values;
  for (const auto& [id, own] : run.scene.lanes.front().parameters) {
    const auto chosen = run.scene.setup.parameters.find(id);
    values[id] =
        chosen != run.scene.setup.parameters.end() ? chosen->second : run.simulation->parameters().find(id).initial;
  }
  return values;
}

std::size_t memory_needed(const Backend& backend, const Scene& scene) {
  return race_memory_needed(backend, scene.setup, scene.lanes);
}

Run Run::begin(Backend& backend, const Start& start, Message* warning) {
  const Setup& setup = start.scene.setup;
  const SimulationInfo& info = find_simulation(setup.simulation);
  // Reject a setup that cannot fit before the memory of the old run is released.
  const std::size_t needed = memory_needed(backend, start.scene), total = backend.total_memory();
  if (needed > total)
    throw InputError("A {} of {} x {} needs {} of memory, and {} has {}. Choose a smaller size.", info.id, setup.width,
                     setup.height, format_bytes(needed), backend.device_name(), format_bytes(total));
  const auto made = [&] {
    const InterruptibleScope here(backend);  // no other code uses it yet
    const auto create = [&](const Setup& from) -> std::unique_ptr<Simulation> {
      if (start.scene.lanes.empty()) return info.create(backend, from);
      std::shared_ptr<LaneRecord> record;
      if (start.scene.race_by_time) record = start.lane_record ? start.lane_record : std::make_shared<LaneRecord>();
      return std::make_unique<Race>(backend, from, start.scene.lanes, !start.state, std::move(record));
    };
    if (!start.state) return create(setup);
    // The saved state contains the effect of the initial actions. They are left out here: they might not be possible
    // under the parameters of the state.
    Setup bare = setup;
    bare.actions.clear();
    return create(bare);
  };
  Run run{start.scene, start.kernel, &backend, made()};
  try {
    select_kernel(*run.simulation, run.kernel);
  } catch (const InputError& error) {
    if (!warning) throw;
    // The kernel was chosen under other parameters.
    run.kernel = "auto";
    *warning = error.message() + Message("The kernel is now chosen automatically.");
  }
  if (!start.state) return run;
  try {
    run.simulation->load(*start.state);
  } catch (const InvalidStateError& error) {
    if (start.input.empty()) throw;
    throw InputError("In \"{}\", {}. Correct the text there.", start.input, error.what_is_wrong());
  }
  return run;
}

void Run::check(const Event& event) const {
  if (const auto* action = std::get_if<Action>(&event.change)) {
    check_action(*action, simulation->info().actions);
  } else if (const auto* change = std::get_if<ParameterChange>(&event.change)) {
    simulation->parameters().find(change->id).check(change->value);
  } else if (const auto* choice = std::get_if<ChooseKernel>(&event.change)) {
    require_accepted(choice->id);
    if (choice->id != "auto" && !is_edited_kernel(choice->id)) kernel_index(simulation->info(), choice->id);
  }
}

void Run::apply(const Event& event) {
  if (const auto* choice = std::get_if<ChooseKernel>(&event.change)) {
    select_kernel(*simulation, choice->id);
    kernel = choice->id;
  }
  const auto* action = std::get_if<Action>(&event.change);
  const auto* change = std::get_if<ParameterChange>(&event.change);
  if (!action && !change) return;
  // Either call may change other parameters too (periodic sides come in pairs; a load is dragged). Those count as
  // chosen.
  const ParameterSet parameters = simulation->parameters();
  std::vector<double> before;
  for (const Parameter& p : parameters.table()) before.push_back(parameters.get(p));
  if (action)
    simulation->apply(*action);
  else
    simulation->set_parameter(change->id, change->value);
  for (std::size_t k = 0; k < before.size(); ++k)
    if (const Parameter& p = parameters.table()[k]; parameters.get(p) != before[k])
      scene.setup.parameters[p.id] = parameters.get(p);
  if (change) scene.setup.parameters[change->id] = change->value;
}

void Run::step_to(std::int64_t step) {
  if (step > simulation->steps()) simulation->step(step - simulation->steps());
}

std::unique_ptr<StateCopy> Run::copy_state(std::unique_ptr<StateCopy> spare) {
  auto* race = simulation->find<Race>();
  return race ? race->copy_lanes(std::move(spare)) : simulation->copy_state(std::move(spare));
}

void Run::restore(const StateCopy& copy) {
  if (auto* race = simulation->find<Race>())
    race->restore_lanes(copy);
  else
    simulation->restore(copy);
}

}  // namespace perturb
