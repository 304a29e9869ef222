#include "app/run/state_restorer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/state_copy.h"

namespace perturb {

namespace {
bool is_before(const Snapshot& snapshot, const LogPosition& position) { return snapshot.position < position; }
}  // namespace

const Snapshot* Snapshots::add(Snapshot snapshot, std::size_t max_bytes) {
  max_bytes_ = max_bytes;
  bytes_ += snapshot.copy->bytes();
  if (bytes() > max_bytes) spare_.reset();
  const auto at = std::lower_bound(snapshots_.begin(), snapshots_.end(), snapshot.position, is_before);
  auto added = static_cast<std::size_t>(at - snapshots_.begin());
  snapshots_.insert(at, std::move(snapshot));
  while (bytes_ > max_bytes && snapshots_.size() > 1) {
    const std::size_t least_needed = find_least_needed(added);
    remove(least_needed);
    if (least_needed < added) --added;
  }
  if (bytes_ > max_bytes) clear();
  return snapshots_.empty() ? nullptr : &snapshots_[added];
}

std::unique_ptr<StateCopy> Snapshots::take_spare(std::size_t max_bytes, const RunLog& log, const Snapshot* wanted) {
  if (spare_) return std::move(spare_);
  if (snapshots_.size() < 2 || bytes_ + snapshots_.back().copy->bytes() <= max_bytes) return nullptr;
  const std::size_t least_needed = find_least_needed(snapshots_.size() - 1);
  if (&snapshots_[least_needed] == wanted) return nullptr;
  const bool fits = log.is_of_this_opening(snapshots_[least_needed].position.segment);
  std::unique_ptr<StateCopy> copy = remove(least_needed);
  if (!fits) copy.reset();
  return copy;
}

void Snapshots::keep_spare(std::unique_ptr<StateCopy> copy) {
  spare_.reset();
  if (bytes_ + copy->bytes() <= max_bytes_) spare_ = std::move(copy);
}

std::size_t Snapshots::find_least_needed(std::size_t added) const {
  // Removes the snapshot that leaves the smallest gap, that is, the fewest additional steps to replay. Keeps the newest
  // one, which is needed first.
  std::size_t least_needed = added > 0 ? added - 1 : snapshots_.size() - 1;
  std::int64_t min_gap = std::numeric_limits<std::int64_t>::max();
  for (std::size_t k = 0; k + 1 < snapshots_.size(); ++k) {
    if (k == added || k + 1 == added) continue;
    const bool first = k == 0 || snapshots_[k - 1].position.segment != snapshots_[k].position.segment;
    const std::int64_t from = first ? 0 : snapshots_[k - 1].position.step;
    const bool last = snapshots_[k + 1].position.segment != snapshots_[k].position.segment;
    const std::int64_t to = last ? snapshots_[k].position.step : snapshots_[k + 1].position.step;
    if (to - from < min_gap) {
      least_needed = k;
      min_gap = to - from;
    }
  }
  return least_needed;
}

std::unique_ptr<StateCopy> Snapshots::remove(std::size_t index) {
  std::unique_ptr<StateCopy> copy = std::move(snapshots_[index].copy);
  bytes_ -= copy->bytes();
  snapshots_.erase(snapshots_.begin() + static_cast<std::ptrdiff_t>(index));
  return copy;
}

const Snapshot* Snapshots::find(const RunLog& log, const LogPosition& position) const {
  for (std::size_t k = snapshots_.size(); k-- > 0;)
    if (log.leads_to(snapshots_[k].position, snapshots_[k].id, position)) return &snapshots_[k];
  return nullptr;
}

void Snapshots::drop_after(const LogPosition& position) {
  while (!snapshots_.empty() && position < snapshots_.back().position) {
    const bool fits =
        snapshots_.back().position.segment == position.segment;  // a later segment may belong to another simulation
    std::unique_ptr<StateCopy> copy = remove(snapshots_.size() - 1);
    if (fits) keep_spare(std::move(copy));
  }
}

namespace {

// Memory in use, in bytes, up to which snapshots are also taken periodically. Larger runs have snapshots only before
// undo steps, so that copying does not delay frames.
constexpr std::size_t max_bytes_for_periodic_snapshots = std::size_t{64} << 20;
// A user who goes through the past waits for the steps since the last snapshot. Copying may take 2 % of the time, and
// all copies as much memory as that, or that of a few runs. Snapshots of a longer run are farther apart.
constexpr std::chrono::seconds snapshot_interval{1};
constexpr int snapshot_time_share = 50;
constexpr std::size_t periodic_snapshot_bytes = std::size_t{64} << 20, min_periodic_snapshots = 8;
// Steps between two looks at the clock.
constexpr std::int64_t max_steps_per_look = 64;
// Memory for snapshots. On CPUs, which share main memory with other programs: an eighth of it within two bounds, or
// twice the size of the run. That holds about four snapshots; an undo and its redo need two. A GPU's memory is used for
// little else.
constexpr std::size_t min_snapshot_bytes = std::size_t{256} << 20, max_snapshot_bytes = std::size_t{1} << 30;
constexpr std::size_t main_memory_divisor = 8;

}  // namespace

// Memory of the run itself, in bytes.
std::size_t StateRestorer::run_bytes() const {
  const std::size_t in_use = backend().memory_in_use();
  return in_use - std::min(in_use, snapshots_.bytes());
}

std::size_t StateRestorer::snapshot_budget() const {
  const std::size_t wanted =
      backend().is_cuda()
          ? max_snapshot_bytes
          : std::max({min_snapshot_bytes, backend().total_memory() / main_memory_divisor, 2 * run_bytes()});
  return std::min({wanted, max_snapshot_bytes, (backend().free_memory() + snapshots_.bytes()) / 4});
}

const Snapshot* StateRestorer::take_snapshot(const LogPosition& here, std::size_t max_bytes) {
  // Just after an event, the last snapshot and the later events lead here too; at the first step, so does the start.
  if (!log_.is_between_events(here.step) || here.step == log_.segment().first_step) return nullptr;
  const Snapshot* last_one = find(here);
  if (last_one && last_one->position.step == here.step) return last_one;
  if (run_bytes() > max_bytes) return nullptr;
  try {
    Snapshot snapshot{here, log_.id_before(here), run_.scene.setup.parameters, values_of(run_), run_.kernel, nullptr};
    snapshot.copy = run_.copy_state(snapshots_.take_spare(max_bytes, log_));
    return snapshots_.add(std::move(snapshot), max_bytes);
  } catch (const Error&) {
    snapshots_.clear();  // no memory for it; replaying from the start still works
    return nullptr;
  }
}

void StateRestorer::snapshot_periodically(const LogPosition& here) {
  keep_spare();
  const TimePoint now = clock_();
  if (now - last_snapshot_time_ <= std::max<TimePoint::duration>(snapshot_interval, snapshot_time_share * copy_time_) ||
      backend().memory_in_use() > max_bytes_for_periodic_snapshots + snapshots_.bytes())
    return;
  take_snapshot(here,
                std::min(snapshot_budget(), std::max(periodic_snapshot_bytes, min_periodic_snapshots * run_bytes())));
  last_snapshot_time_ = clock_();
  copy_time_ = last_snapshot_time_ - now;
}

// Allocates a spare, so that the copy that an undo begins with, and the next undo step, need not wait for new memory.
void StateRestorer::keep_spare() {
  if (backend().is_cuda() || !(log_.can_undo() || log_.can_redo()) || !snapshots_.needs_spare()) return;
  try {
    snapshots_.keep_spare(run_.copy_state());
  } catch (const Error&) {
    // No memory for it, nor for the copy of an undo, which then replays from the start.
  }
}

bool StateRestorer::make_room_for(const Start& start) {
  const Setup& setup = start.scene.setup;
  const Backend& next = backends_.of(setup, start.kernel);
  const std::size_t needed = memory_needed(next, start.scene);
  const std::size_t free = next.free_memory();
  if (needed <= free) return true;
  if (&next != &backend() || needed > free + run_bytes()) return false;
  run_.simulation.reset();
  return true;
}

void StateRestorer::replay_to(Run& run, LogPosition& way, const LogPosition& position,
                              const std::optional<TimePoint>& end) const {
  std::int64_t at_once = 1;
  const auto step_to = [&](std::int64_t step) {
    for (; end && way.step < step; at_once = std::min(2 * at_once, max_steps_per_look)) {
      if (clock_() >= *end) return false;
      run.step_to(std::min(step, way.step + at_once));
      way.step = run.simulation->steps();
    }
    run.step_to(step);
    way.step = step;
    return true;
  };
  for (; way.events < position.events; ++way.events) {
    const Event& event = *log_.event_after(way);
    if (!step_to(event.step)) return;
    run.apply(event);
  }
  step_to(position.step);
}

LogPosition StateRestorer::nearest(const LogPosition& position) const {
  return beginning(snapshots_.find(log_, position), position.segment).second;
}

void StateRestorer::replay(LogPosition& now, const LogPosition& position, std::chrono::milliseconds limit) {
  try {
    replay_to(run_, now, position, clock_() + limit);
  } catch (...) {
    now.step = run_.simulation->steps();
    throw;
  }
}

// Restores into the existing simulation, which was made for the same segment. On CPU threads, creating a simulation is
// slow: walls are drawn and linked again. Here only the fields are needed. Live parameters are set as by the user, then
// the copy restores the rest. False: nothing has changed.
bool StateRestorer::restore_in_place(const Snapshot& from, const LogPosition& position, const Snapshot* now,
                                     std::unique_ptr<StateCopy> spare) {
  if (backend().is_cuda() || !run_.simulation || from.kernel != run_.kernel) return false;
  std::vector<ParameterChange> changes;
  const ParameterSet parameters = run_.simulation->parameters();
  const std::map<std::string, double> now_values = values_of(run_);
  for (const Parameter& p : parameters.table()) {
    const double value = from.values.at(p.id);
    if (now_values.at(p.id) == value) continue;
    if (p.apply != Apply::live) return false;
    changes.push_back({p.id, value});
  }
  std::unique_ptr<StateCopy> own;
  try {
    if (!now) own = run_.copy_state(std::move(spare));
  } catch (const Error&) {
    return false;  // no memory for a copy to return to
  }
  const std::map<std::string, double> chosen = run_.scene.setup.parameters;
  const auto leave = [&] {
    run_.restore(now ? *now->copy : *own);
    run_.scene.setup.parameters = chosen;
  };
  try {
    for (const ParameterChange& change : changes) run_.simulation->set_parameter(change.id, change.value);
    run_.restore(*from.copy);
    run_.scene.setup.parameters = from.chosen;
    LogPosition way = from.position;
    replay_to(run_, way, position);
  } catch (const Error&) {
    leave();
    return false;
  } catch (...) {
    leave();
    throw;
  }
  if (own) snapshots_.keep_spare(std::move(own));
  return true;
}

std::pair<Start, LogPosition> StateRestorer::beginning(const Snapshot* from, std::size_t number) const {
  const RunSegment& segment = log_.segment(number);
  Start start = segment.start;
  if (!from) return {std::move(start), {number, segment.first_step, segment.forgotten, 0}};
  start.scene.setup.parameters = from->values;
  start.kernel = from->kernel;
  start.state = nullptr;
  return {std::move(start), from->position};
}

Run StateRestorer::replayed(const Start& start, const Snapshot* from, LogPosition way,
                            const LogPosition& position) const {
  Run run = Run::begin(backends_.of(start.scene.setup, start.kernel), start);
  if (from) {
    run.restore(*from->copy);
    run.scene.setup.parameters = from->chosen;
  }
  replay_to(run, way, position);
  return run;
}

void StateRestorer::restore(const LogPosition& position, bool same_segment, const Snapshot* now) {
  const Snapshot* from = snapshots_.find(log_, position);
  std::unique_ptr<StateCopy> spare;
  if (from && same_segment && !now) {
    spare = snapshots_.take_spare(snapshot_budget(), log_, from);
    from = snapshots_.find(log_, position);  // its address may have changed
  }
  if (from && same_segment && restore_in_place(*from, position, now, std::move(spare))) return;
  const auto [start, way] = beginning(from, position.segment);
  make_room_for(start);
  run_ = replayed(start, from, way, position);
}

Run StateRestorer::copy_at(const LogPosition& position) const {
  const Snapshot* from = snapshots_.find(log_, position);
  auto [start, way] = beginning(from, position.segment);
  // The copy takes another course, and must not extend the record of the run.
  if (start.lane_record) start.lane_record = std::make_shared<LaneRecord>(*start.lane_record);
  return replayed(start, from, way, position);
}

bool StateRestorer::has_room_for_copy() const {
  return memory_needed(backend(), run_.scene) <= backend().free_memory();
}

}  // namespace perturb
