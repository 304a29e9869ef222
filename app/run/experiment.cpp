#include "app/run/experiment.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

// Events of a leg: ten minutes of strokes without a pause.
constexpr std::size_t most_events = 40'000;

std::string label_of(const Action& action, const SimulationInfo& info) {
  for (const ActionKind& kind : info.actions)
    if (kind.id == action.kind) return kind.label;
  return action.kind;
}
bool is_built(const Event& event, const SimulationInfo& info) {
  const auto* action = std::get_if<Action>(&event.deed);
  const ActionKind* kind = action ? find_kind(info.actions, action->kind) : nullptr;
  return kind && kind->lasting;
}
std::string label_of(const Gesture& gesture, const SimulationInfo& info) {
  for (const Tool& tool : info.tools)
    if (tool.id == gesture.tool) return tool.label;
  return gesture.tool;
}

}  // namespace

Experiment::Experiment(Backend& backend, Scene scene) : backend_(backend) { open(std::move(scene)); }

Experiment::Experiment(Backend& backend, Scene scene, const State& state) : backend_(backend) {
  open(std::move(scene), state);
}

Experiment::Experiment(Backend& backend, Start start) : backend_(backend) { open(std::move(start)); }

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

void Experiment::open(Start start) {
  Run run = Run::begin(backend_, start);
  snapshots_.clear();
  preset_parameters_ = start.scene.setup.parameters;
  new_start_ = {};
  shown_ = {start.scene.view, start.scene.camera};
  log_.begin(std::move(start), run.simulation->steps());
  adopt(std::move(run));
}

void Experiment::adopt(Run run) {
  run_ = std::move(run);
  next_scheduled_ = 0;
  begin_to_watch();
}

void Experiment::begin_to_watch() {
  trouble_.clear();
  may_go_on_ = gesture_began_ = false;
  last_kept_ = std::chrono::steady_clock::now();
}

Place Experiment::here() const { return {log_.leg_number(), simulation().steps(), log_.events(), next_scheduled_}; }

// ---- what happens

void Experiment::schedule(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.step < b.step; });
  for (const Event& event : events) {
    if (event.step < simulation().steps())
      throw InputError("An event at step " + std::to_string(event.step) + " comes too late: the run is at step " +
                       std::to_string(simulation().steps()) + ".");
    run_.check(event);
  }
  log_.schedule(std::move(events));
  next_scheduled_ = 0;
}

void Experiment::advance(std::int64_t count) {
  if (!trouble_.empty()) return;
  const std::int64_t end = simulation().steps() + count;
  while (true) {
    const std::vector<Event>& scheduled = log_.leg().scheduled;
    while (next_scheduled_ < scheduled.size() && scheduled[next_scheduled_].step <= simulation().steps()) {
      const Event event = scheduled[next_scheduled_++];
      run_.happen(event);
      if (const auto* shown = std::get_if<ViewChange>(&event.deed)) shown_ = *shown;
      record(event, false);
    }
    if (simulation().steps() >= end) break;
    try {
      run_.step_to(next_scheduled_ < scheduled.size() ? std::min(end, scheduled[next_scheduled_].step) : end);
    } catch (const NonFiniteError& error) {
      trouble_ = error.what();
      trouble_step_ = simulation().steps();
      return;
    }
  }
  find_new_start();
}

Deed Experiment::deed_here(const std::string& what, bool sets) const { return {what, here(), 0, sets}; }

void Experiment::do_deed(const Event& event, const std::string& what, bool goes_on) {
  const bool opens = !(goes_on && may_go_on_);
  if (opens) keep_snapshot();
  const Deed deed = deed_here(what, !std::holds_alternative<Action>(event.deed));
  run_.happen(event);
  if (opens && remembers_) {
    snapshots_.drop_after(deed.before);
    log_.open_deed(deed);
  }
  record(event, true);
  may_go_on_ = true;
}

void Experiment::perform(const Action& action, bool goes_on) {
  const Event event{simulation().steps(), action};
  do_deed(event, label_of(action, info()), goes_on);
}

void Experiment::perform(const Gesture& gesture) {
  // Turns of the wheel come one by one, and are one deed together.
  const bool scrolls = gesture.phase == Gesture::Phase::scroll;
  if (gesture.phase == Gesture::Phase::press) gesture_began_ = false;
  for (const Action& action : simulation().interpret(gesture)) {
    const Event event{simulation().steps(), action};
    const std::string what = label_of(gesture, info()) + (scrolls ? ", wheel" : "");
    const bool same_wheel = scrolls && log_.can_undo() && log_.deeds().back().what == what;
    do_deed(event, what, gesture_began_ || same_wheel);
    gesture_began_ = !scrolls;
  }
}

void Experiment::set_parameter(const std::string& id, double value, bool goes_on) {
  const ParameterSet parameters = simulation().parameters();
  const Parameter& parameter = parameters.find(id);
  parameter.check(value);
  gesture_began_ = false;
  if (parameter.apply == Apply::restart) {
    Start start{run_.scene, run_.kernel, nullptr, "", ""};
    start.scene.setup.parameters[id] = value;
    begin_leg(std::move(start), parameter.label, goes_on);
    return;
  }
  do_deed({simulation().steps(), ParameterChange{id, value}}, parameter.label, goes_on);
}

void Experiment::choose_kernel(const std::string& id) {
  gesture_began_ = false;
  do_deed({simulation().steps(), ChooseKernel{id}}, "Kernel", false);
}

void Experiment::restart(bool defaults, bool goes_on) {
  Start start{run_.scene, run_.kernel, nullptr, "", ""};
  if (defaults) start.scene.setup.parameters = preset_parameters_;
  begin_leg(std::move(start), "Restart", goes_on);
}

void Experiment::restart_keeping() {
  std::vector<Event> built;
  std::copy_if(log().begin(), log().end(), std::back_inserter(built),
               [this](const Event& event) { return is_built(event, info()); });
  restart();
  int refused = 0;
  for (Event& event : built) {
    event.step = simulation().steps();
    try {
      do_deed(event, "Restart", true);
    } catch (const InputError&) {
      ++refused;
    }
  }
  if (refused > 0)
    note_ = std::to_string(refused) + (refused == 1 ? " stroke" : " strokes") + " could not be done again.";
}

void Experiment::begin_leg(Start start, const std::string& what, bool goes_on) {
  const bool opens = !(goes_on && may_go_on_);
  if (opens) keep_snapshot();
  const Deed deed = deed_here(what, true);
  if (!make_room_for(start.scene.setup)) {
    snapshots_.clear();
    make_room_for(start.scene.setup);
  }
  std::string note;
  Run run = Run::begin(backend_, start, &note);
  start.kernel = run.kernel;
  if (!remembers_) log_.begin(std::move(start), run.simulation->steps());
  if (opens && remembers_) {
    snapshots_.drop_after(deed.before);
    log_.open_deed(deed);
  }
  if (remembers_) log_.begin_leg(std::move(start), run.simulation->steps());
  new_start_ = {};
  if (!note.empty()) note_ = note;
  adopt(std::move(run));
  may_go_on_ = true;
  const ViewChange home{scene().view, scene().camera};
  if (!same_view(home, shown_)) log_.add({simulation().steps(), shown_}, false);
}

void Experiment::show(const ViewChange& shown) {
  if (same_view(shown, shown_)) return;
  shown_ = shown;
  record({simulation().steps(), shown}, false);
}

void Experiment::record(const Event& event, bool of_deed) {
  if (!remembers_) return;
  log_.add(event, of_deed);
  if (!new_start_.state || log_.can_redo()) return;
  // At the latest when the log is full; before that, as soon as no deed from before the new
  // start could still be undone.
  const bool is_full = log_.leg().events.size() >= most_events;
  if (is_full || !log_.can_undo() || !(log_.deeds().front().before < new_start_place_))
    log_.forget_before(new_start_place_, std::exchange(new_start_, {}));
}

// Half full, the log takes note of a state from which it can begin anew. Between events, where a state is all there is.
void Experiment::find_new_start() {
  if (new_start_.state || log_.can_redo() || log_.leg().events.size() < most_events / 2 || !is_between_events()) return;
  new_start_ = {run_.scene, run_.kernel, std::make_shared<const State>(run_.simulation->save()), "", ""};
  new_start_.scene.setup.parameters = values_of(simulation());
  new_start_place_ = here();
}

bool Experiment::is_between_events() const {
  const std::vector<Event>& events = log();
  const auto last = std::find_if(events.rbegin(), events.rend(), changes_run);
  return last == events.rend() || last->step < simulation().steps();
}

std::string Experiment::take_note() {
  std::string note = std::exchange(note_, {});
  const std::string own = simulation().take_note();
  return note.empty() || own.empty() ? note + own : note + " " + own;
}

}  // namespace perturb
