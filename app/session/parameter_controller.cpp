#include "app/session/parameter_controller.h"

#include <utility>

#include "app/io/preset/scenes.h"

namespace perturb {

double ParameterController::default_of(const Parameter& parameter) const {
  const auto found = defaults_.find(parameter.id);
  return found == defaults_.end() ? parameter.initial : found->second;
}

void ParameterController::set(std::vector<ParameterChange> changes, bool merge_with_last) {
  if (changes.empty()) return;
  bool restarts = false;
  for (const ParameterChange& change : changes) {
    errors_.erase(change.id);
    for (const Parameter& p : client_.info().parameters)
      restarts = restarts || (p.id == change.id && p.apply == Apply::restart);
  }
  dragged_parameter_ = changes.back().id;
  client_.post(job::SetParameters{std::move(changes), merge_with_last}, [this, restarts](JobResult& result) {
    result.check();
    if (restarts && result.errors.empty()) switcher_.on_run_replaced(false);
    for (const auto& [id, why] : result.errors) {
      if (id == dragged_parameter_) dragged_parameter_.clear();
      errors_[id] = why;
    }
  });
}

const Message& ParameterController::error_of(const std::string& id) const {
  static const Message none;
  const auto found = errors_.find(id);
  return found == errors_.end() ? none : found->second;
}

void ParameterController::change(const ParameterChange& change) {
  if (is_open_(change.id))
    set({change}, dragged_parameter_ == change.id);
  else
    errors_[change.id] = "This parameter is fixed in this step of the lesson.";
}

void ParameterController::change_by_wheel(const ParameterChange& change) {
  for (const Parameter& parameter : client_.info().parameters)
    if (parameter.id == change.id && client_.run().next_undo == Message(parameter.label))
      dragged_parameter_ = change.id;
  this->change(change);
}

void ParameterController::reset() {
  // Live changes first: a restart then includes their new values.
  std::vector<ParameterChange> live, restarting;
  const RunStatus& run = client_.run();
  for (std::size_t k = 0; k < run.parameters.size(); ++k) {
    const Parameter& p = run.info->parameters[k];
    if (run.parameters[k] != default_of(p) && is_open_(p.id))
      (p.apply == Apply::live ? live : restarting).push_back({p.id, default_of(p)});
  }
  live.insert(live.end(), restarting.begin(), restarting.end());
  set(std::move(live), false);
  dragged_parameter_.clear();
}

void ParameterController::on_run_replaced(bool new_scene) {
  errors_.clear();
  if (!new_scene) return;
  const Scene& begun = *client_.run().scene;
  defaults_ = begun.as_read ? begun.as_read->setup.parameters : preset_parameters(begun.setup);
}

}  // namespace perturb
