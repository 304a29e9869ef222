#include "app/web/engine/web_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

WebRun::WebRun(SharedRun& run, int client, Role of, Permissions allowed)
    : shared(run), number(client), role(of), permissions(std::move(allowed)) {
  shared.clients.push_back(this);
}

WebRun::~WebRun() { std::erase(shared.clients, this); }

JobResult WebRun::run_job(RunJob job) {
  const auto set_client = [this](auto& one) {
    if constexpr (requires { one.client; }) one.client = number;
  };
  std::visit(set_client, job);
  return shared.run_job(std::move(job));
}

const DisplayUnits& WebRun::display_units(bool of_scene) {
  static const DisplayUnits none;
  if (!shared.has_run() || !(of_scene || lesson)) return none;
  const Simulation& simulation = experiment().simulation();
  units_ = units_in_domain(experiment().scene().units, experiment().info(), simulation.domain_width(),
                           simulation.domain_height());
  return units_;
}

void WebRun::require_unlocked() const {
  if (role == Role::pupil && permissions.is_locked)
    throw InputError("The teacher has locked the run for you. You can still watch and answer.");
}

void WebRun::require_tool(const std::string& id) const {
  require_unlocked();
  if (lesson && !lesson->tool_is_open(id)) throw InputError("This tool is off in this step of the lesson.");
  if (role == Role::pupil && permissions.tools && !permissions.tools->contains(id))
    throw InputError("The teacher has locked this tool. Choose another one.");
}

void WebRun::require_parameter(const Parameter& parameter) const {
  require_unlocked();
  if (lesson && !lesson->parameter_is_open(parameter.id))
    throw InputError("{} is fixed in this step of the lesson.", Message(parameter.label));
  if (role != Role::pupil) return;
  const auto& open = permissions.parameters;
  if (open && !open->contains(parameter.id))
    throw InputError("The teacher has locked this: {}. Change something else.", Message(parameter.label));
  if (!open && parameter.apply == Apply::restart)
    throw InputError("Another value restarts the run for all: {}. Ask the teacher to unlock it.",
                     Message(parameter.label));
}

void WebRun::require_objects() const {
  require_unlocked();
  if (lesson && !lesson->tool_is_open(objects_as_tool))
    throw InputError("Objects cannot be changed in this step of the lesson.");
  if (role == Role::pupil && !permissions.objects)
    throw InputError("The teacher has locked the objects. Use a tool instead.");
}

void WebRun::require_action(const SimulationInfo& info, const Action& action) const {
  require_unlocked();
  const ActionKind* kind = find_kind(info.actions, action.kind);
  if (action.kind == remove_object_kind || (kind && kind->changes_object)) return require_objects();
  if (role != Role::pupil) return;
  // Any other action could be that of a locked tool.
  if (kind && kind->creates_object)
    require_objects();
  else if (permissions.tools)
    throw InputError("The teacher has locked this tool. Choose another one.");
}

void WebRun::require_kernel(const std::string& id) const {
  if (role != Role::owner && is_edited_kernel(id))
    throw InputError("A shared run takes no text of a kernel. Choose a kernel of the program.");
}

void WebRun::end_drag() {
  object_drag.reset();
  if (shared.has_run()) experiment().release_objects(number);
}

void WebRun::end_gesture() {
  end_drag();
  if (!shared.has_run()) return;
  if (std::optional<Gesture> open = std::exchange(gesture, {})) {
    open->phase = Gesture::Phase::release;
    open->x = open->previous_x = std::clamp(last.x, 0.0, 1.0);
    open->y = open->previous_y = std::clamp(last.y, 0.0, 1.0);
    try {
      run_job(job::ApplyGesture{*open});
    } catch (const Error&) {
      // The run cannot do what the release asks for.
    }
  }
  experiment().end_gesture(number);
}

}  // namespace perturb
