#include "app/run/experiment.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "app/race/race.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/object.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/stability.h"

namespace perturb {

namespace {

// A message with the location in the script.
Message with_origin(const Event& event, const Message& message) {
  return event.origin.empty() ? message : Message("{}: {}", event.origin, message);
}

Message label_of(const Action& action, const SimulationInfo& info) {
  for (const ActionKind& kind : info.actions)
    if (kind.id == action.kind) return kind.label;
  return Message::value(action.kind);
}
// A race by time begins a record of its lanes, which all replays of this start follow.
void keep_lane_record(Start& start) {
  start.lane_record = start.scene.race_by_time && !start.scene.lanes.empty() ? std::make_shared<LaneRecord>() : nullptr;
}
bool is_built(const Event& event, const SimulationInfo& info) {
  const auto* action = std::get_if<Action>(&event.change);
  const ActionKind* kind = action ? find_kind(info.actions, action->kind) : nullptr;
  return kind && kind->lasting;
}
// The limit that changes by the user must not exceed; null: none, or the scene exceeds one on purpose.
StabilityLimit* limit_of(const Run& run) {
  return run.scene.past_limit.empty() ? run.simulation->find<StabilityLimit>() : nullptr;
}
// The right button of a tool may do something else, such as a wall with "Push": its undo step is named after that.
Message label_of(const Gesture& gesture, const Action& action, const SimulationInfo& info) {
  if (gesture.button == Gesture::Button::right && !action.kind.starts_with(gesture.tool)) return label_of(action, info);
  for (const Tool& tool : info.tools)
    if (tool.id == gesture.tool) return tool.label;
  return Message::value(gesture.tool);
}

}  // namespace

Experiment::Experiment(Backends backends, Scene scene) : backends_(backends), restorer_(backends_, run_, log_) {
  open(std::move(scene));
}

Experiment::Experiment(Backends backends, Scene scene, const State& state)
    : backends_(backends), restorer_(backends_, run_, log_) {
  open(std::move(scene), state);
}

Experiment::Experiment(Backends backends, Start start) : backends_(backends), restorer_(backends_, run_, log_) {
  open(std::move(start));
}

void Experiment::open(Scene scene) {
  Start start;
  start.scene = std::move(scene);
  open(std::move(start));
}

void Experiment::open(Scene scene, const State& state) {
  Start start;
  start.scene = std::move(scene);
  start.state = std::make_shared<const State>(state);
  start.kernel = kernel_of(state);
  open(std::move(start));
}

State Experiment::saved_state() const {
  State state = simulation().save();
  if (kernel() != "auto" && !is_edited_kernel(kernel())) state.kernel = kernel();
  return state;
}

// ---- events

void Experiment::advance(std::int64_t count) {
  if (stop_reason().empty()) advance_to(step() + count);
}

void Experiment::perform(const Action& action, bool merge_with_last, int client) {
  const Event event{simulation().steps(), action};
  require_free(action, client);
  apply_and_log(event, label_of(action, info()), merge_with_last && last_client_ == client, client);
}

void Experiment::perform(const Gesture& gesture, int client) {
  // Wheel clicks arrive one by one and together form one undo step.
  const bool scrolls = gesture.phase == Gesture::Phase::scroll;
  if (gesture.phase == Gesture::Phase::press) gestures_.erase(client);
  for (const Action& action : simulation().interpret(gesture)) {
    const Event event{simulation().steps(), action};
    const Message made_by = label_of(gesture, action, info()),
                  label = scrolls ? Message("{}, wheel", made_by) : made_by;
    const bool same_wheel = scrolls && last_client_ == client && next_undo() == label;
    require_free(action, client);
    apply_and_log(event, label, gestures_.contains(client) || same_wheel, client);
    if (scrolls)
      gestures_.erase(client);
    else
      gestures_.insert(client);
  }
}

void Experiment::require_free(const Action& action, int client) const {
  const auto object = action.numbers.find(object_field);
  if (object != action.numbers.end()) require_free(static_cast<int>(object->second), client);
}

void Experiment::require_free(int object, int client) const {
  const auto held = held_objects_.find(object);
  if (held != held_objects_.end() && held->second != client) throw InputError("Somebody else holds this object.");
}

void Experiment::hold_object(int object, int client) {
  require_free(object, client);
  held_objects_[object] = client;
}

void Experiment::release_objects(int client) {
  std::erase_if(held_objects_, [client](const auto& held) { return held.second == client; });
}

void Experiment::end_gesture(int client) { gestures_.erase(client); }

void Experiment::set_parameter(const std::string& id, double value, bool merge_with_last, int client) {
  const ParameterSet parameters = simulation().parameters();
  const Parameter& parameter = parameters.find(id);
  parameter.check(value);
  if (StabilityLimit* const limit = limit_of(run_)) limit->require_stable_with(id, value);
  gestures_.erase(client);
  const bool joins = merge_with_last && last_client_ == client;
  if (parameter.apply == Apply::restart) {
    Start start = restarted();
    start.scene.setup.parameters[id] = value;
    begin_segment(std::move(start), parameter.label, joins, client);
    return;
  }
  apply_and_log({simulation().steps(), ParameterChange{id, value}}, parameter.label, joins, client);
}

void Experiment::choose_kernel(const std::string& id) {
  gestures_.erase(0);
  apply_and_log({simulation().steps(), ChooseKernel{id}}, "Kernel", false, 0);
  edited_kernel_failure_ = {};
}

Start Experiment::restarted() const {
  Start restarted{scene(), kernel(), nullptr, "", ""};
  restarted.defaults = start().defaults;
  return restarted;
}

void Experiment::restart(bool defaults, bool merge_with_last) {
  gestures_.clear();
  Start start = restarted();
  if (defaults) start.scene.setup.parameters = *start.defaults;
  begin_segment(std::move(start), "Restart", merge_with_last && last_client_ == 0, 0);
}

void Experiment::restart_with_width(int width) {
  gestures_.clear();
  if (scene().count.label.empty()) throw InputError("The size of this scene is fixed.");
  Start start = restarted();
  start.scene.setup.width = width;
  start.scene.count.is_from_machine = false;
  begin_segment(std::move(start), scene().count.label, false, 0);
}

void Experiment::restart_race(bool by_time) {
  gestures_.clear();
  if (scene().lanes.empty()) throw InputError("Only a race has lanes that go by time. Open a race.");
  Start start = restarted();
  start.scene.race_by_time = by_time;
  begin_segment(std::move(start), by_time ? "Race by time" : "Race by steps", false, 0);
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
      apply_and_log(event, "Restart", true, 0);
    } catch (const InputError&) {
      ++rejected;
    }
  }
  if (rejected > 0)
    warning_ = warning_ + (rejected == 1 ? Message("1 stroke could not be repeated.")
                                         : Message("{} strokes could not be repeated.", rejected));
}

Message Experiment::take_warning() { return std::exchange(warning_, {}) + simulation().take_warning(); }

void Experiment::check_diagnostics(const Diagnostics& diagnostics) {
  if (!stop_reason().empty()) return;
  if (diagnostics.finite && recording_)
    restorer_.snapshot_periodically(here());
  else if (!diagnostics.finite && is_edited_kernel(run_.kernel))
    leave_edited_kernel("The edited kernel gave a value that is not a finite number.", true);
  else if (!diagnostics.finite)
    recovery_.stop(diagnostics.error.empty() ? "The solution is no longer finite." : diagnostics.error,
                   diagnostics.step);
}

// ---- the run and its log

void Experiment::open(Start start, const Message& label) {
  if (!start.defaults)
    start.defaults = std::make_shared<const std::map<std::string, double>>(start.scene.setup.parameters);
  gestures_.clear();
  keep_lane_record(start);
  // The machine that saved a state may have had kernels that this one lacks.
  const bool has_kernel_of_state =
      start.state && !is_edited_kernel(start.kernel) && start.kernel == kernel_of(*start.state);
  const auto begin = [&](Backend& backend) {
    Message warning;
    Run run = Run::begin(backend, start, has_kernel_of_state ? &warning : nullptr);
    start.kernel = run.kernel;
    if (!warning.empty()) warning_ = warning;
    return run;
  };
  const bool can_return = !label.empty() && recording_ && has_run() && log_.can_undo() && stop_reason().empty();
  if (!can_return) {
    Run run = begin(backends_.of(start.scene.setup, start.kernel));
    restorer_.clear();
    shown_ = {start.scene.view, start.scene.camera};
    log_.begin(std::move(start), run.simulation->steps());
    set_run(std::move(run));
    edited_kernel_failure_ = {};
    return;
  }
  take_snapshot();
  const UndoStep undo_step{label, here(), 0, true, true};
  // Snapshots must not keep the next scene from opening.
  Backend& next = backends_.of(start.scene.setup, start.kernel);
  if (memory_needed(next, start.scene) > next.free_memory()) restorer_.clear();
  Run run = begin(next);
  begin_undo_step(undo_step);
  shown_ = {start.scene.view, start.scene.camera};
  log_.begin_opening(std::move(start), run.simulation->steps());
  restorer_.drop_spare();
  set_run(std::move(run));
  edited_kernel_failure_ = {};
}

void Experiment::set_run(Run run) {
  run_ = std::move(run);
  next_scheduled_ = 0;
  reset_after_jump();
}

void Experiment::reset_after_jump() {
  recovery_.clear();
  last_client_.reset();
  held_objects_.clear();
  restorer_.restart_interval();
}

void Experiment::schedule(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.step < b.step; });
  for (const Event& event : events) {
    if (event.step < step())
      throw InputError(with_origin(
          event, Message("Cannot schedule an event at step {}: the run is already at step {}. Use a later step.",
                         event.step, step())));
    run_.check(event);
  }
  log_.schedule(std::move(events));
  next_scheduled_ = 0;
}

void Experiment::advance_to(std::int64_t end) {
  if (auto* race = simulation().find<Race>()) race->forget_recorded_future();
  while (true) {
    const std::vector<Event>& scheduled = log_.segment().scheduled;
    while (next_scheduled_ < scheduled.size() && scheduled[next_scheduled_].step <= step()) {
      const Event event = scheduled[next_scheduled_++];
      try {
        run_.apply(event);
      } catch (const InputError& error) {
        throw InputError(
            with_origin(event, Message("the event at step {} is invalid. {}", event.step, error.message())));
      }
      if (const auto* shown = std::get_if<ViewChange>(&event.change)) shown_ = *shown;
      record(event, false);
    }
    if (step() >= end) break;
    try {
      run_.step_to(next_scheduled_ < scheduled.size() ? std::min(end, scheduled[next_scheduled_].step) : end);
    } catch (const NonFiniteError& error) {
      recovery_.stop(error.message(), step());
      return;
    } catch (const EditedKernelError& error) {
      const std::uint64_t returns = returns_;
      leave_edited_kernel(error.message(), dynamic_cast<const EditedValueError*>(&error) != nullptr);
      if (returns_ != returns || !stop_reason().empty()) return;
    }
  }
  make_checkpoint();
}

// A kernel that crashes or hangs leaves the steps before it as they are, and the run continues from there. Values that
// grow until one is not finite are wrong long before: those steps are discarded too.
void Experiment::leave_edited_kernel(const Message& why, bool discards_its_steps) {
  const RunLog::Edit edit = log_.find_edit(recovery_.min_good_steps());
  const bool goes_back = discards_its_steps && step() > edit.step;
  if (stops_at_failed_kernel_ || (goes_back && !(recording_ && edit.before))) {
    recovery_.stop(why + "Choose another kernel, and restart the run.", step());
    recovery_.rule_out_remedy();  // no parameter cures the text
    return;
  }
  Message failure = why;
  if (goes_back) {
    return_to(*edit.before);
    failure = failure + Message("Its steps are discarded: the run is back at step {}.", step());
  }
  if (is_edited_kernel(run_.kernel)) {
    // The change of the kernel belongs to the log.
    const Event reverted{step(), ChooseKernel{"auto"}};
    run_.apply(reverted);
    record(reverted, false);
  }
  edited_kernel_failure_ = failure + "The built-in kernel is in use again.";
  warning_ = warning_ + edited_kernel_failure_;
}

void Experiment::return_to(const LogPosition& position) {
  gestures_.clear();
  const std::uint64_t opening = log_.segment().opening;
  while (log_.can_undo() && !(log_.undo_steps().back().log_begin() < position)) log_.revert_last(here());
  log_.cut(position);
  rewind_to(position, opening);
  ++returns_;
}

void Experiment::begin_undo_step(const UndoStep& undo_step) {
  restorer_.drop_after(undo_step.before);
  log_.begin_undo_step(undo_step);
}

void Experiment::apply_and_log(const Event& event, const Message& label, bool joins, int client) {
  const bool opens = !joins;
  if (opens) take_snapshot();
  const UndoStep undo_step{label, here(), 0, !std::holds_alternative<Action>(event.change)};
  const auto* action = std::get_if<Action>(&event.change);
  StabilityLimit* const limit = action ? limit_of(run_) : nullptr;
  if (limit) limit->require_stable_after(*action);
  run_.apply(event);
  log_applied(event, undo_step, opens);
  if (opens) last_client_ = client;
}

void Experiment::log_applied(const Event& event, const UndoStep& undo_step, bool opens) {
  if (opens && recording_) begin_undo_step(undo_step);
  record(event, true);
}

void Experiment::begin_segment(Start start, const Message& label, bool joins, int client) {
  const bool opens = !joins;
  if (opens) take_snapshot();
  const UndoStep undo_step{label, here(), 0, true};
  keep_lane_record(start);
  if (!restorer_.make_room_for(start)) {
    restorer_.clear();
    restorer_.make_room_for(start);
  }
  Message warning;
  Run run = Run::begin(backends_.of(start.scene.setup, start.kernel), start, &warning);
  start.kernel = run.kernel;
  if (opens && recording_) begin_undo_step(undo_step);
  if (recording_)
    log_.begin_segment(std::move(start), run.simulation->steps());
  else
    log_.begin(std::move(start), run.simulation->steps());
  if (!warning.empty()) warning_ = warning;
  set_run(std::move(run));
  last_client_ = client;
  const ViewChange home{run_.scene.view, run_.scene.camera};
  if (!same_view(home, shown_)) log_.add({step(), shown_}, false);
}

void Experiment::show(const ViewChange& shown) {
  if (same_view(shown, shown_)) return;
  shown_ = shown;
  record({step(), shown}, false);
}

void Experiment::record(const Event& event, bool in_undo_step) {
  if (recording_) log_.record(event, in_undo_step);
}

void Experiment::make_checkpoint() {
  // A saved state holds one lane of a race only.
  if (!run_.scene.lanes.empty() || !log_.needs_checkpoint(step())) return;
  Start start{run_.scene, run_.kernel, std::make_shared<const State>(run_.simulation->save()), "", ""};
  start.scene.setup.parameters = values_of(run_);
  start.defaults = log_.segment().start.defaults;
  log_.set_checkpoint(here(), std::move(start));
}

// ---- undo and redo

void Experiment::go_to(const LogPosition& position, bool same_segment, const Snapshot* now) {
  restorer_.restore(position, same_segment, now);
  reset_after_jump();
  next_scheduled_ = position.scheduled;
  log_.moved_to(position);
}

Message Experiment::undo() {
  gestures_.clear();
  if (!log_.can_undo()) return {};
  const Snapshot* now = take_snapshot();
  const Message label = log_.undo_steps().back().label;
  const std::uint64_t opening = log_.segment().opening;
  const LogPosition from = here(), position = log_.revert_last(from);
  try {
    go_to(position, position.segment == from.segment, now);
  } catch (...) {
    log_.reapply_last();
    throw;
  }
  restore_view(opening);
  if (position.segment != from.segment)
    return Message("Undone: {}. Previous run restored at step {}.", label, position.step);
  if (position.step > from.step) return Message("Undone: {}. Now at step {}.", label, position.step);
  return position.step != from.step ? Message("Undone: {}. Back at step {}.", label, position.step)
                                    : Message("Undone: {}. Still at step {}.", label, position.step);
}

Message Experiment::redo() {
  gestures_.clear();
  if (!log_.can_redo()) return {};
  const Message label = log_.next_redo().label;
  const std::uint64_t opening = log_.segment().opening;
  const LogPosition from = here(), position = log_.reapply_last();
  try {
    go_to(position, position.segment == from.segment);
  } catch (...) {
    log_.revert_last(position);
    throw;
  }
  restore_view(opening);
  return position.step == from.step ? Message("Redone: {}. Still at step {}.", label, position.step)
                                    : Message("Redone: {}. Now at step {}.", label, position.step);
}

// The view is kept across undo and redo within a scene; another scene has its own.
void Experiment::restore_view(std::uint64_t opening) {
  ViewChange logged{log_.segment().start.scene.view, log_.segment().start.scene.camera};
  for (const Event& event : log_.segment().events)
    if (const auto* view = std::get_if<ViewChange>(&event.change)) logged = *view;
  if (log_.segment().opening != opening) {
    shown_ = logged;
    restorer_.drop_spare();
  } else if (!same_view(logged, shown_)) {
    log_.add({step(), shown_}, false);
  }
}

// ---- going through the past

std::pair<std::int64_t, std::int64_t> Experiment::past() const {
  if (!recording_) return {step(), step()};
  const bool is_back = log_.fresh_return(step()) != nullptr;
  return {log_.segment().first_step, is_back ? log_.undo_steps().back().before.step : step()};
}

void Experiment::return_to_step(std::int64_t wanted, std::chrono::milliseconds limit) {
  if (!recording_) return;
  gestures_.clear();
  const auto [first, last] = past();
  const LogPosition* const back = log_.fresh_return(step());
  LogPosition now = back ? *back : here();
  if (!back && wanted < last) take_snapshot();  // forward again from it
  const LogPosition end = back ? log_.take_back_return() : now;
  const auto leave = [&] {
    const bool is_back = now < end;
    if (is_back) log_.begin_return(now, end, "Return to an earlier step");
    reset_after_jump();
    next_scheduled_ = (is_back ? log_.position_at(now.step) : end).scheduled;
    log_.moved_to(now);
    restore_view(log_.segment().opening);
  };
  try {
    const LogPosition target = wanted < last ? log_.position_at(std::max(wanted, first)) : end;
    const LogPosition nearest = restorer_.nearest(target);
    if (target < now || now < nearest) {
      restorer_.restore(nearest, true);
      now = nearest;
    }
    restorer_.replay(now, target, limit);
  } catch (const NonFiniteError& error) {
    leave();
    return recovery_.stop(error.message(), step());
  } catch (...) {
    leave();
    throw;
  }
  leave();
}

// ---- values no longer finite

void Experiment::rewind_to(const LogPosition& position, std::uint64_t opening) {
  restorer_.drop_after(position);
  go_to(position, false);
  restore_view(opening);
}

void Experiment::restore_last_good() {
  gestures_.clear();
  const std::uint64_t opening = log_.segment().opening;
  while (log_.has_undo_steps_since_opening()) {
    rewind_to(recovery_.revert_to_last_good(here()), opening);
    if (simulation().diagnostics(run_.scene.view, true).finite) return;
  }
  const LogPosition position = recovery_.last_good_in_segment(here());
  log_.cut(position);
  rewind_to(position, opening);
}

void Experiment::find_remedy() {
  if (stop_reason().empty() || has_sought_remedy()) return;
  if (recording_)
    recovery_.find_remedy(here());
  else
    recovery_.rule_out_remedy();
}

void Experiment::apply_remedy() {
  if (!recovery_.remedy()) return;
  const Remedy remedy = *recovery_.remedy();
  if (remedy.parameter.empty()) return restore_last_good();
  gestures_.clear();
  const std::uint64_t opening = log_.segment().opening;
  const LogPosition start = recovery_.remedy_start(here());
  std::vector<Recovery::Changes> later = recovery_.revert_changes_since(start, remedy, here());
  rewind_to(start, opening);
  const Event change{step(), ParameterChange{remedy.parameter, remedy.value}};
  const UndoStep undo_step{simulation().parameters().find(remedy.parameter).label, here(), 0, true};
  run_.apply(change);
  log_applied(change, undo_step, true);
  for (Recovery::Changes& changes : later) repeat(std::move(changes));
  last_client_.reset();
}

void Experiment::repeat(Recovery::Changes changes) {
  bool opens = true;
  for (const Event& event : changes.events) {
    advance_to(event.step);
    changes.undo_step.before = here();
    run_.apply(event);
    log_applied(event, changes.undo_step, std::exchange(opens, false));
  }
}

}  // namespace perturb
