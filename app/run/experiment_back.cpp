// The ways back of a run: snapshots, undo and redo, and out of numbers that are no longer finite.
#include <algorithm>
#include <utility>

#include "app/run/experiment.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/moment.h"

namespace perturb {

namespace {

// Bytes of memory in use up to which a snapshot is taken every few seconds too; larger runs have theirs only before
// deeds, so that no frame stands still for a copy nobody asked for.
constexpr std::size_t cheap_bytes = std::size_t{64} << 20;
constexpr std::chrono::seconds keep_every{10};
// What snapshots may take. In main memory, where a browser and a desktop want to live too, an eighth of it, between two
// bounds, or twice as much as the run itself: some four moments, and an undo and its redo need two. A device's memory
// has little else to do.
constexpr std::size_t least_snapshot_bytes = std::size_t{256} << 20, most_snapshot_bytes = std::size_t{1} << 30;
constexpr std::size_t share_of_main_memory = 8;
// What the scene shows in five seconds at its own pace is long; a stroke shows within one what it does.
constexpr std::int64_t frames_of_a_long_run = 300, frames_of_a_stroke = 60;
constexpr int usual_steps_per_frame = 16;

}  // namespace

// Bytes that the run itself has.
std::size_t Experiment::own_bytes() const {
  const std::size_t in_use = backend_.memory_in_use();
  return in_use - std::min(in_use, snapshots_.bytes());
}

std::size_t Experiment::room_for_snapshots() const {
  const std::size_t wanted =
      backend_.is_cuda()
          ? most_snapshot_bytes
          : std::max({least_snapshot_bytes, backend_.total_memory() / share_of_main_memory, 2 * own_bytes()});
  return std::min({wanted, most_snapshot_bytes, (backend_.free_memory() + snapshots_.bytes()) / 4});
}

const Snapshot* Experiment::keep_snapshot() {
  if (!trouble_.empty() || !remembers_) return nullptr;
  // Right behind an event the last snapshot and the events since lead here too, and the start leads to itself.
  const Place place = here();
  if (!is_between_events() || place.step == log_.leg().first_step) return nullptr;
  const Snapshot* last_one = snapshots_.find(log_, place);
  if (last_one && last_one->place.step == place.step) return last_one;
  const std::size_t room = room_for_snapshots();
  if (own_bytes() > room) return nullptr;
  try {
    Snapshot snapshot{place,  log_.id_before(place), run_.scene.setup.parameters, values_of(simulation()), run_.kernel,
                      nullptr};
    snapshot.moment = run_.simulation->keep(snapshots_.spare(room));
    return snapshots_.add(std::move(snapshot), room);
  } catch (const Error&) {
    snapshots_.clear();  // no memory for it: the way from the start is still there
    return nullptr;
  }
}

// The copy that an undo begins with, and the next deed, should not wait for memory that is new to the program.
void Experiment::lay_aside_for_undo() {
  if (backend_.is_cuda() || !(log_.can_undo() || log_.can_redo()) || !snapshots_.wants_spare()) return;
  try {
    snapshots_.lay_aside(run_.simulation->keep());
  } catch (const Error&) {
    // no memory for it, and none for an undo either: that goes the way from the start
  }
}

// Where this run and another do not fit into memory side by side, the run goes first, if the other one fits then.
bool Experiment::make_room_for(const Setup& setup) {
  const std::size_t needed = find_simulation(setup.simulation).memory_needed(backend_, setup);
  const std::size_t free = backend_.free_memory();
  if (needed <= free) return true;
  if (needed > free + own_bytes()) return false;
  run_.simulation.reset();
  return true;
}

void Experiment::go_on_to(Run& run, Place way, const Place& place) const {
  for (; way.events < place.events; ++way.events) {
    const Event& event = *log_.event_after(way);
    run.step_to(event.step);
    run.happen(event);
  }
  run.step_to(place.step);
}

// On CPU threads it is the beginning of a run that takes long: walls are drawn and linked anew, where the simulation
// that is there, which was made for the same leg, needs its fields alone. Live parameters are set as by hand,
// before the moment brings back all that it knows. False: nothing has changed.
bool Experiment::reproduce_in_place(const Snapshot& from, const Place& place, const Snapshot* now,
                                    std::unique_ptr<Moment> spare) {
  if (backend_.is_cuda() || !run_.simulation || from.kernel != run_.kernel) return false;
  std::vector<ParameterChange> changes;
  const ParameterSet parameters = simulation().parameters();
  for (const Parameter& p : parameters.table()) {
    const double value = from.values.at(p.id);
    if (parameters.get(p) == value) continue;
    if (p.apply != Apply::live) return false;
    changes.push_back({p.id, value});
  }
  std::unique_ptr<Moment> own;
  try {
    if (!now) own = run_.simulation->keep(std::move(spare));
  } catch (const Error&) {
    return false;  // no memory for the way back
  }
  const std::map<std::string, double> chosen = run_.scene.setup.parameters;
  const auto leave = [&] {
    run_.simulation->come_back(now ? *now->moment : *own);
    run_.scene.setup.parameters = chosen;
  };
  try {
    for (const ParameterChange& change : changes) run_.simulation->set_parameter(change.id, change.value);
    run_.simulation->come_back(*from.moment);
    run_.scene.setup.parameters = from.chosen;
    go_on_to(run_, from.place, place);
  } catch (const Error&) {
    leave();
    return false;
  } catch (...) {
    leave();
    throw;
  }
  if (own) snapshots_.lay_aside(std::move(own));
  return true;
}

void Experiment::reproduce(const Place& place, bool same_leg, const Snapshot* now) {
  const Leg& leg = log_.leg(place.leg);
  const Snapshot* from = snapshots_.find(log_, place);
  std::unique_ptr<Moment> spare;
  if (from && same_leg && !now) {
    spare = snapshots_.spare(room_for_snapshots(), from);
    from = snapshots_.find(log_, place);  // it has moved
  }
  if (from && same_leg && reproduce_in_place(*from, place, now, std::move(spare))) {
    arrive(place);
    return;
  }
  Start start = leg.start;
  Place way{place.leg, leg.first_step, leg.forgotten, 0};
  if (from) {
    start.scene.setup.parameters = from->values;
    start.kernel = from->kernel;
    start.state = nullptr;
    way = from->place;
  }
  make_room_for(start.scene.setup);
  Run run = Run::begin(backend_, start);
  if (from) {
    run.simulation->come_back(*from->moment);
    run.scene.setup.parameters = from->chosen;
  }
  go_on_to(run, way, place);
  run_ = std::move(run);
  arrive(place);
}

void Experiment::arrive(const Place& place) {
  begin_to_watch();
  next_scheduled_ = place.scheduled;
  if (place < new_start_place_) new_start_ = {};
}

std::string Experiment::undo() {
  if (!log_.can_undo()) return {};
  const Snapshot* now = keep_snapshot();
  const std::string what = next_undo();
  const Place from = here(), place = log_.take_out(from);
  try {
    reproduce(place, place.leg == from.leg, now);
  } catch (...) {
    log_.put_back();
    throw;
  }
  show_again();
  return "Undone: " + what + ". " +
         (place.leg != from.leg     ? "The run from before is back at step "
          : place.step != from.step ? "Back at step "
                                    : "Still at step ") +
         std::to_string(place.step) + ".";
}

std::string Experiment::redo() {
  if (!log_.can_redo()) return {};
  const std::string what = next_redo();
  const Place from = here(), place = log_.put_back();
  try {
    reproduce(place, place.leg == from.leg);
  } catch (...) {
    log_.take_out(place);
    throw;
  }
  show_again();
  return "Done again: " + what + ". At step " + std::to_string(place.step) +
         (place.step == from.step ? "." : ", where it was undone.");
}

// The view stays when the run goes elsewhere.
void Experiment::show_again() {
  ViewChange logged{start().scene.view, start().scene.camera};
  for (const Event& event : log())
    if (const auto* view = std::get_if<ViewChange>(&event.deed)) logged = *view;
  if (!same_view(logged, shown_)) log_.add({simulation().steps(), shown_}, false);
}

// ---- when numbers are no longer finite

void Experiment::inspect(const Diagnostics& diagnostics) {
  if (!trouble_.empty()) return;
  if (!diagnostics.finite) {
    trouble_ = diagnostics.trouble.empty() ? "The numbers are no longer finite." : diagnostics.trouble;
    trouble_step_ = diagnostics.step;
    return;
  }
  lay_aside_for_undo();
  const auto now = std::chrono::steady_clock::now();
  if (now - last_kept_ <= keep_every || backend_.memory_in_use() > cheap_bytes + snapshots_.bytes()) return;
  keep_snapshot();
  last_kept_ = now;
}

std::int64_t Experiment::long_run() const {
  return frames_of_a_long_run * (scene().steps_per_frame > 0 ? scene().steps_per_frame : usual_steps_per_frame);
}

const Snapshot* Experiment::snapshot_on_the_way() const {
  // No event has come since the leg's last one: any place from there on lies on the way.
  Place place = here();
  place.step = trouble_step_ - long_run();
  return snapshots_.find(log_, place);
}

bool Experiment::can_go_back() const { return log_.can_undo() || snapshot_on_the_way() || start().state; }

void Experiment::go_back() {
  while (log_.can_undo()) {
    const std::size_t before =
        log_.deed_to_go_back_before(long_run(), long_run() * frames_of_a_stroke / frames_of_a_long_run);
    Place place = here();
    while (log_.deeds().size() > before) place = log_.take_out(place);
    log_.forget_undone();
    snapshots_.drop_after(place);
    reproduce(place, false);
    show_again();
    if (simulation().diagnostics(scene().view, true).finite) return;
  }
  Place place{log_.leg_number(), log_.leg().first_step, log_.leg().forgotten, 0};
  if (const Snapshot* kept = snapshot_on_the_way()) place = kept->place;
  log_.cut(place);
  snapshots_.drop_after(place);
  reproduce(place, false);
  show_again();
}

}  // namespace perturb
