#include "app/run/logged_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "cuda/core/catalog.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {

// What the scene shows in five seconds at its own pace is long; a stroke shows within one what it does.
constexpr std::int64_t frames_of_a_long_run = 300, frames_of_a_stroke = 60;
constexpr int usual_steps_per_frame = 16;

// A message that names the place in the script, for the one who wrote it.
std::string refused(const Event& event, const std::string& why) {
  return (event.origin.empty() ? "" : event.origin + ": ") + "the event at step " + std::to_string(event.step) +
         " is refused. " + why;
}

}  // namespace

void LoggedRun::open(Start start, const std::string& what) {
  const bool can_return = !what.empty() && remembers_ && is_there() && log_.can_undo() && trouble_.empty();
  if (!can_return) {
    Run run = Run::begin(backend_, start);
    ways_.clear();
    shown_ = {start.scene.view, start.scene.camera};
    log_.begin(std::move(start), run.simulation->steps());
    adopt(std::move(run));
    return;
  }
  keep();
  const Deed deed{what, here(), 0, true, true};
  // Copies for an undo must not keep the next scene from opening.
  const SimulationInfo& info = find_simulation(start.scene.setup.simulation);
  if (info.memory_needed(backend_, start.scene.setup) > backend_.free_memory()) ways_.clear();
  Run run = Run::begin(backend_, start);
  open_deed(deed);
  shown_ = {start.scene.view, start.scene.camera};
  log_.begin_opening(std::move(start), run.simulation->steps());
  ways_.drop_spare();
  adopt(std::move(run));
}

void LoggedRun::adopt(Run run) {
  run_ = std::move(run);
  next_scheduled_ = 0;
  begin_to_watch();
}

void LoggedRun::begin_to_watch() {
  trouble_.clear();
  may_go_on_ = false;
  ways_.count_from_now();
}

// ---- what happens

void LoggedRun::schedule(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.step < b.step; });
  for (const Event& event : events) {
    if (event.step < step())
      throw InputError((event.origin.empty() ? "" : event.origin + ": ") + "An event at step " +
                       std::to_string(event.step) + " comes too late: the run is at step " + std::to_string(step()) +
                       ".");
    run_.check(event);
  }
  log_.schedule(std::move(events));
  next_scheduled_ = 0;
}

void LoggedRun::advance_to(std::int64_t end) {
  while (true) {
    const std::vector<Event>& scheduled = log_.leg().scheduled;
    while (next_scheduled_ < scheduled.size() && scheduled[next_scheduled_].step <= step()) {
      const Event event = scheduled[next_scheduled_++];
      try {
        run_.happen(event);
      } catch (const InputError& error) {
        throw InputError(refused(event, error.what()));
      }
      if (const auto* shown = std::get_if<ViewChange>(&event.deed)) shown_ = *shown;
      record(event, false);
    }
    if (step() >= end) break;
    try {
      run_.step_to(next_scheduled_ < scheduled.size() ? std::min(end, scheduled[next_scheduled_].step) : end);
    } catch (const NonFiniteError& error) {
      stop(error.what(), step());
      return;
    }
  }
  find_new_start();
}

void LoggedRun::open_deed(const Deed& deed) {
  ways_.drop_after(deed.before);
  log_.open_deed(deed);
}

void LoggedRun::do_deed(const Event& event, const std::string& what, bool goes_on) {
  const bool opens = !(goes_on && may_go_on_);
  if (opens) keep();
  const Deed deed{what, here(), 0, !std::holds_alternative<Action>(event.deed)};
  run_.happen(event);
  if (opens && remembers_) open_deed(deed);
  record(event, true);
  may_go_on_ = true;
}

void LoggedRun::begin_leg(Start start, const std::string& what, bool goes_on) {
  const bool opens = !(goes_on && may_go_on_);
  if (opens) keep();
  const Deed deed{what, here(), 0, true};
  if (!ways_.make_room_for(start.scene.setup)) {
    ways_.clear();
    ways_.make_room_for(start.scene.setup);
  }
  std::string note;
  Run run = Run::begin(backend_, start, &note);
  start.kernel = run.kernel;
  if (opens && remembers_) open_deed(deed);
  if (remembers_)
    log_.begin_leg(std::move(start), run.simulation->steps());
  else
    log_.begin(std::move(start), run.simulation->steps());
  if (!note.empty()) note_ = note;
  adopt(std::move(run));
  may_go_on_ = true;
  const ViewChange home{run_.scene.view, run_.scene.camera};
  if (!same_view(home, shown_)) log_.add({step(), shown_}, false);
}

void LoggedRun::show(const ViewChange& shown) {
  if (same_view(shown, shown_)) return;
  shown_ = shown;
  record({step(), shown}, false);
}

void LoggedRun::record(const Event& event, bool of_deed) {
  if (remembers_) log_.record(event, of_deed);
}

void LoggedRun::find_new_start() {
  if (!log_.wants_start(step())) return;
  Start start{run_.scene, run_.kernel, std::make_shared<const State>(run_.simulation->save()), "", ""};
  start.scene.setup.parameters = values_of(simulation());
  start.defaults = log_.leg().start.defaults;
  log_.note_start(here(), std::move(start));
}

std::string LoggedRun::take_note() {
  std::string note = std::exchange(note_, {});
  const std::string own = simulation().take_note();
  return note.empty() || own.empty() ? note + own : note + " " + own;
}

// ---- the ways back

void LoggedRun::go_to(const Place& place, bool same_leg, const Snapshot* now) {
  ways_.bring_about(place, same_leg, now);
  begin_to_watch();
  next_scheduled_ = place.scheduled;
  log_.come_to(place);
}

std::string LoggedRun::undo() {
  if (!log_.can_undo()) return {};
  const Snapshot* now = keep();
  const std::string what = log_.deeds().back().what;
  const std::uint64_t opening = log_.leg().opening;
  const Place from = here(), place = log_.take_out(from);
  try {
    go_to(place, place.leg == from.leg, now);
  } catch (...) {
    log_.put_back();
    throw;
  }
  show_again(opening);
  return "Undone: " + what + ". " +
         (place.leg != from.leg     ? "The run from before is back at step "
          : place.step != from.step ? "Back at step "
                                    : "Still at step ") +
         std::to_string(place.step) + ".";
}

std::string LoggedRun::redo() {
  if (!log_.can_redo()) return {};
  const std::string what = log_.next_redo().what;
  const std::uint64_t opening = log_.leg().opening;
  const Place from = here(), place = log_.put_back();
  try {
    go_to(place, place.leg == from.leg);
  } catch (...) {
    log_.take_out(place);
    throw;
  }
  show_again(opening);
  return "Done again: " + what + ". At step " + std::to_string(place.step) +
         (place.step == from.step ? "." : ", where it was undone.");
}

// The view stays when the run goes elsewhere; but another scene has its own.
void LoggedRun::show_again(std::uint64_t opening) {
  ViewChange logged{log_.leg().start.scene.view, log_.leg().start.scene.camera};
  for (const Event& event : log_.leg().events)
    if (const auto* view = std::get_if<ViewChange>(&event.deed)) logged = *view;
  if (log_.leg().opening != opening)
    shown_ = logged, ways_.drop_spare();
  else if (!same_view(logged, shown_))
    log_.add({step(), shown_}, false);
}

// ---- when numbers are no longer finite

std::int64_t LoggedRun::long_run() const {
  const int own = run_.scene.steps_per_frame;
  return frames_of_a_long_run * (own > 0 ? own : usual_steps_per_frame);
}

const Snapshot* LoggedRun::snapshot_on_the_way() const {
  // No event has come since the leg's last one: any place from there on lies on the way.
  Place place = here();
  place.step = trouble_step_ - long_run();
  return ways_.find(place);
}

bool LoggedRun::can_go_back() const { return log_.has_deeds_here() || snapshot_on_the_way() || log_.leg().start.state; }

void LoggedRun::go_back() {
  const std::uint64_t opening = log_.leg().opening;
  while (log_.has_deeds_here()) {
    const std::size_t before =
        log_.deed_to_go_back_before(long_run(), long_run() * frames_of_a_stroke / frames_of_a_long_run);
    Place place = here();
    while (log_.deeds().size() > before) place = log_.take_out(place);
    log_.forget_undone();
    ways_.drop_after(place);
    go_to(place, false);
    show_again(opening);
    if (simulation().diagnostics(run_.scene.view, true).finite) return;
  }
  Place place{log_.leg_number(), log_.leg().first_step, log_.leg().forgotten, 0};
  if (const Snapshot* kept = snapshot_on_the_way()) place = kept->place;
  log_.cut(place);
  ways_.drop_after(place);
  go_to(place, false);
  show_again(opening);
}

}  // namespace perturb
