#include "app/run/ways_back.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

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

}  // namespace

// Bytes that the run itself has.
std::size_t WaysBack::own_bytes() const {
  const std::size_t in_use = backend_.memory_in_use();
  return in_use - std::min(in_use, snapshots_.bytes());
}

std::size_t WaysBack::room() const {
  const std::size_t wanted =
      backend_.is_cuda()
          ? most_snapshot_bytes
          : std::max({least_snapshot_bytes, backend_.total_memory() / share_of_main_memory, 2 * own_bytes()});
  return std::min({wanted, most_snapshot_bytes, (backend_.free_memory() + snapshots_.bytes()) / 4});
}

const Snapshot* WaysBack::keep(const Place& here) {
  // Right behind an event the last snapshot and the events since lead here too, and the start leads to itself.
  if (!log_.is_between_events(here.step) || here.step == log_.leg().first_step) return nullptr;
  const Snapshot* last_one = find(here);
  if (last_one && last_one->place.step == here.step) return last_one;
  const std::size_t most_bytes = room();
  if (own_bytes() > most_bytes) return nullptr;
  try {
    Snapshot snapshot{
        here, log_.id_before(here), run_.scene.setup.parameters, values_of(*run_.simulation), run_.kernel, nullptr};
    snapshot.moment = run_.simulation->keep(snapshots_.spare(most_bytes, log_));
    return snapshots_.add(std::move(snapshot), most_bytes);
  } catch (const Error&) {
    snapshots_.clear();  // no memory for it: the way from the start is still there
    return nullptr;
  }
}

void WaysBack::keep_now_and_then(const Place& here) {
  lay_aside();
  const auto now = std::chrono::steady_clock::now();
  if (now - last_kept_ <= keep_every || backend_.memory_in_use() > cheap_bytes + snapshots_.bytes()) return;
  keep(here);
  last_kept_ = now;
}

// The copy that an undo begins with, and the next deed, should not wait for memory that is new to the program.
void WaysBack::lay_aside() {
  if (backend_.is_cuda() || !(log_.can_undo() || log_.can_redo()) || !snapshots_.wants_spare()) return;
  try {
    snapshots_.lay_aside(run_.simulation->keep());
  } catch (const Error&) {
    // no memory for it, and none for an undo either: that goes the way from the start
  }
}

bool WaysBack::make_room_for(const Setup& setup) {
  const std::size_t needed = find_simulation(setup.simulation).memory_needed(backend_, setup);
  const std::size_t free = backend_.free_memory();
  if (needed <= free) return true;
  if (needed > free + own_bytes()) return false;
  run_.simulation.reset();
  return true;
}

void WaysBack::go_on_to(Run& run, Place way, const Place& place) const {
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
bool WaysBack::bring_about_in_place(const Snapshot& from, const Place& place, const Snapshot* now,
                                    std::unique_ptr<Moment> spare) {
  if (backend_.is_cuda() || !run_.simulation || from.kernel != run_.kernel) return false;
  std::vector<ParameterChange> changes;
  const ParameterSet parameters = run_.simulation->parameters();
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

void WaysBack::bring_about(const Place& place, bool same_leg, const Snapshot* now) {
  const Leg& leg = log_.leg(place.leg);
  const Snapshot* from = snapshots_.find(log_, place);
  std::unique_ptr<Moment> spare;
  if (from && same_leg && !now) {
    spare = snapshots_.spare(room(), log_, from);
    from = snapshots_.find(log_, place);  // it has moved
  }
  if (from && same_leg && bring_about_in_place(*from, place, now, std::move(spare))) return;
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
}

}  // namespace perturb
