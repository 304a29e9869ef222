// Earlier states of a run: snapshots, and the replay from one of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run/backends.h"
#include "app/run/run.h"
#include "app/run/run_log.h"

namespace perturb {

struct Snapshot {
  LogPosition position;
  std::uint64_t id = 0;                  // RunLog::id_before(position)
  std::map<std::string, double> chosen;  // parameters chosen by the user
  std::map<std::string, double> values;  // values of all parameters
  std::string kernel;
  std::unique_ptr<StateCopy> copy;
};

// Snapshots of a run within bounded memory. A later position is reached from a snapshot by taking the steps between, so
// any snapshot may be dropped.
class Snapshots {
 public:
  // Adds a snapshot and drops others until all take at most `max_bytes`, first those that leave the smallest gap. Keeps
  // the one before it as long as there are others, because undo returns to it. Returns null if even this one does not
  // fit.
  const Snapshot* add(Snapshot snapshot, std::size_t max_bytes);
  // Memory of a dropped snapshot for the next one (Simulation::copy_state): newly allocated memory is slow to write,
  // often slower than the copy. If another copy as large as the newest would exceed `max_bytes`, drops a snapshot for
  // it, except `wanted`. Null: none available.
  std::unique_ptr<StateCopy> take_spare(std::size_t max_bytes, const RunLog& log, const Snapshot* wanted = nullptr);
  // Releases the spare: another simulation cannot reuse its memory.
  void drop_spare() { spare_.reset(); }
  // Keeps this memory for the next snapshot if all fit together.
  void keep_spare(std::unique_ptr<StateCopy> copy);
  // Whether there is no spare and one as large as the newest snapshot would fit.
  bool needs_spare() const {
    return !spare_ && !snapshots_.empty() && bytes_ + snapshots_.back().copy->bytes() <= max_bytes_;
  }
  // The last snapshot on the way to this position of the log, in its segment; null: none.
  const Snapshot* find(const RunLog& log, const LogPosition& position) const;
  // Drops the snapshots after this position, which have become invalid.
  void drop_after(const LogPosition& position);
  void clear() {
    snapshots_.clear();
    spare_.reset();
    bytes_ = 0;
  }
  // Includes the spare.
  std::size_t bytes() const { return bytes_ + (spare_ ? spare_->bytes() : 0); }
  std::size_t count() const { return snapshots_.size(); }

 private:
  // Index among the snapshots except the newest, `added` and the one just before it, if there are others.
  std::size_t find_least_needed(std::size_t added) const;
  std::unique_ptr<StateCopy> remove(std::size_t index);

  std::vector<Snapshot> snapshots_;  // sorted by position
  std::unique_ptr<StateCopy> spare_;
  std::size_t bytes_ = 0;      // total, without the spare
  std::size_t max_bytes_ = 0;  // last limit passed to add()
};

// Restores an earlier state from the last snapshot before it, or from the start of its segment, and replays the events
// and steps between. Snapshots only save time.
// Keeps references to all arguments, which must outlive it.
class StateRestorer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Clock = std::function<TimePoint()>;
  StateRestorer(const Backends& backends, Run& run, const RunLog& log) : backends_(backends), run_(run), log_(log) {}

  // Takes a snapshot of the run at `here` if there is memory for it, and unless the start or the last snapshot leads to
  // the same state. Returns the snapshot of this very state, or null.
  const Snapshot* take_snapshot(const LogPosition& here) { return take_snapshot(here, snapshot_budget()); }
  // Takes snapshots of a small run, each second unless a copy takes long, and allocates the spare for the copy of an
  // undo. Call it often.
  void snapshot_periodically(const LogPosition& here);
  void restart_interval() { last_snapshot_time_ = clock_(); }
  // The clock of periodic snapshots, for tests: without a call, the steady one.
  void set_clock(Clock clock) {
    clock_ = std::move(clock);
    restart_interval();
  }
  // The last snapshot on the way to this position; null: none.
  const Snapshot* find(const LogPosition& position) const { return snapshots_.find(log_, position); }
  void drop_after(const LogPosition& position) { snapshots_.drop_after(position); }
  void clear() { snapshots_.clear(); }
  // Call when another scene has been opened: the spare does not fit it.
  void drop_spare() { snapshots_.drop_spare(); }

  // If this run and another one do not fit into memory together, releases this one, provided that the other one then
  // fits. False: it does not fit.
  bool make_room_for(const Start& start);

  // Restores the state at a position of the log; `same_segment`: the run is in its segment. `now`: snapshot of the
  // current state, if there is one. If it throws, the run is unchanged, or empty if make_room_for() has
  // released it.
  void restore(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);
  // The position before this one that restore() reaches without a step: of a snapshot, or the start of the segment.
  LogPosition nearest(const LogPosition& position) const;
  // Repeats the events and steps of the log from `now`, where the run is, to `position` in the same segment, for about
  // `limit` at most. `now` follows, also if it throws.
  void replay(LogPosition& now, const LogPosition& position, std::chrono::milliseconds limit);
  // Another run in the state at this position, next to the current one. Throws Error if memory runs out.
  Run copy_at(const LogPosition& position) const;
  // Whether the memory of another such run is free.
  bool has_room_for_copy() const;

 private:
  const Snapshot* take_snapshot(const LogPosition& here, std::size_t max_bytes);
  std::size_t run_bytes() const;
  std::size_t snapshot_budget() const;
  void keep_spare();
  bool restore_in_place(const Snapshot& from, const LogPosition& position, const Snapshot* now,
                        std::unique_ptr<StateCopy> spare);
  // The start and the position from which a new run is replayed; `from`: the snapshot to begin with, null: none.
  std::pair<Start, LogPosition> beginning(const Snapshot* from, std::size_t segment) const;
  Run replayed(const Start& start, const Snapshot* from, LogPosition way, const LogPosition& position) const;
  // Replays events and steps from `way` to `position` in the same segment; `way` follows. With `end` it stops about
  // then, between two steps.
  void replay_to(Run& run, LogPosition& way, const LogPosition& position,
                 const std::optional<TimePoint>& end = std::nullopt) const;

  const Backend& backend() const { return *run_.backend; }

  const Backends& backends_;
  Run& run_;
  const RunLog& log_;
  Snapshots snapshots_;
  Clock clock_ = &std::chrono::steady_clock::now;
  TimePoint last_snapshot_time_;
  TimePoint::duration copy_time_{};  // of the last periodic snapshot
};

}  // namespace perturb
