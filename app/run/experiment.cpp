#include "app/run/experiment.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

namespace {

Message label_of(const Action& action, const SimulationInfo& info) {
  for (const ActionKind& kind : info.actions)
    if (kind.id == action.kind) return kind.label;
  return Message::value(action.kind);
}
bool is_built(const Event& event, const SimulationInfo& info) {
  const auto* action = std::get_if<Action>(&event.change);
  const ActionKind* kind = action ? find_kind(info.actions, action->kind) : nullptr;
  return kind && kind->lasting;
}
Message label_of(const Gesture& gesture, const SimulationInfo& info) {
  for (const Tool& tool : info.tools)
    if (tool.id == gesture.tool) return tool.label;
  return Message::value(gesture.tool);
}

}  // namespace

Experiment::Experiment(Backend& backend, Scene scene) : run_(backend), backend_(backend) { open(std::move(scene)); }

Experiment::Experiment(Backend& backend, Scene scene, const State& state) : run_(backend), backend_(backend) {
  open(std::move(scene), state);
}

Experiment::Experiment(Backend& backend, Start start) : run_(backend), backend_(backend) { open(std::move(start)); }

void Experiment::open(Scene scene) {
  Start start;
  start.scene = std::move(scene);
  open(std::move(start));
}

void Experiment::open(Scene scene, const State& state) {
  Start start;
  start.scene = std::move(scene);
  start.state = std::make_shared<const State>(state);
  open(std::move(start));
}

void Experiment::open(Start start, const Message& label) {
  if (!start.defaults)
    start.defaults = std::make_shared<const std::map<std::string, double>>(start.scene.setup.parameters);
  run_.open(std::move(start), label);
  gesture_began_ = false;
}

// ---- events

void Experiment::advance(std::int64_t count) {
  if (stop_reason().empty()) run_.advance_to(run_.step() + count);
}

void Experiment::perform(const Action& action, bool merge_with_last) {
  const Event event{simulation().steps(), action};
  run_.apply_and_log(event, label_of(action, info()), merge_with_last);
}

void Experiment::perform(const Gesture& gesture) {
  // Wheel clicks arrive one by one and together form one undo step.
  const bool scrolls = gesture.phase == Gesture::Phase::scroll;
  if (gesture.phase == Gesture::Phase::press) gesture_began_ = false;
  for (const Action& action : simulation().interpret(gesture)) {
    const Event event{simulation().steps(), action};
    const Message made_by = label_of(gesture, info()), label = scrolls ? Message("{}, wheel", made_by) : made_by;
    const bool same_wheel = scrolls && next_undo() == label;
    run_.apply_and_log(event, label, gesture_began_ || same_wheel);
    gesture_began_ = !scrolls;
  }
}

void Experiment::set_parameter(const std::string& id, double value, bool merge_with_last) {
  const ParameterSet parameters = simulation().parameters();
  const Parameter& parameter = parameters.find(id);
  parameter.check(value);
  gesture_began_ = false;
  if (parameter.apply == Apply::restart) {
    Start start = restarted();
    start.scene.setup.parameters[id] = value;
    run_.begin_segment(std::move(start), parameter.label, merge_with_last);
    return;
  }
  run_.apply_and_log({simulation().steps(), ParameterChange{id, value}}, parameter.label, merge_with_last);
}

void Experiment::choose_kernel(const std::string& id) {
  gesture_began_ = false;
  run_.apply_and_log({simulation().steps(), ChooseKernel{id}}, "Kernel", false);
}

Start Experiment::restarted() const {
  Start restarted{scene(), kernel(), nullptr, "", ""};
  restarted.defaults = start().defaults;
  return restarted;
}

void Experiment::restart(bool defaults, bool merge_with_last) {
  gesture_began_ = false;
  Start start = restarted();
  if (defaults) start.scene.setup.parameters = *start.defaults;
  run_.begin_segment(std::move(start), "Restart", merge_with_last);
}

void Experiment::restart_keeping() {
  std::vector<Event> built;
  std::copy_if(log().begin(), log().end(), std::back_inserter(built),
               [this](const Event& event) { return is_built(event, info()); });
  restart();
  int rejected = 0;
  std::size_t done = 0;
  for (Event& event : built) {
    SetupProgress::report(++done, built.size());
    event.step = simulation().steps();
    try {
      run_.apply_and_log(event, "Restart", true);
    } catch (const InputError&) {
      ++rejected;
    }
  }
  if (rejected > 0)
    warning_ = rejected == 1 ? Message("1 stroke could not be repeated.")
                             : Message("{} strokes could not be repeated.", rejected);
}

Message Experiment::take_warning() { return std::exchange(warning_, {}) + run_.take_warning(); }

void Experiment::check_diagnostics(const Diagnostics& diagnostics) {
  if (!stop_reason().empty()) return;
  if (diagnostics.finite)
    run_.on_finite_diagnostics();
  else
    run_.stop(diagnostics.error.empty() ? "The solution is no longer finite." : diagnostics.error, diagnostics.step);
}

}  // namespace perturb
