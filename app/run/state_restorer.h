// Restores an earlier state from the last snapshot before it, or from the start of its segment, and replays the events
// and steps between. Snapshots only save time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/snapshots.h"

namespace perturb {

// Keeps references to the run and its log; both must outlive it.
class StateRestorer {
 public:
  StateRestorer(Backend& backend, Run& run, const RunLog& log) : backend_(backend), run_(run), log_(log) {}

  // Takes a snapshot of the run at `here` if there is memory for it, and unless the start or the last snapshot leads to
  // the same state. Returns the snapshot of this very state, or null.
  const Snapshot* take_snapshot(const LogPosition& here);
  // Takes a snapshot of a small run every 10 seconds, and allocates the spare for the copy of an undo. Call it often.
  void snapshot_periodically(const LogPosition& here);
  void restart_interval() { last_snapshot_time_ = std::chrono::steady_clock::now(); }
  // The last snapshot on the way to this position; null: none.
  const Snapshot* find(const LogPosition& position) const { return snapshots_.find(log_, position); }
  void drop_after(const LogPosition& position) { snapshots_.drop_after(position); }
  void clear() { snapshots_.clear(); }
  // Call when another scene has been opened: the spare does not fit it.
  void drop_spare() { snapshots_.drop_spare(); }

  // If this run and another one do not fit into memory together, releases this one, provided that the other one then
  // fits. False: it does not fit.
  bool make_room_for(const Setup& setup);

  // Restores the state at a position of the log; `same_segment`: the run is in its segment. `now`: snapshot of the
  // current state, if there is one. If it throws, the run is unchanged, or empty if make_room_for() has
  // released it.
  void restore(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);

 private:
  std::size_t run_bytes() const;
  std::size_t snapshot_budget() const;
  void keep_spare();
  bool restore_in_place(const Snapshot& from, const LogPosition& position, const Snapshot* now,
                        std::unique_ptr<StateCopy> spare);
  // Replays events and steps from `way` to `position` in the same segment.
  void replay_to(Run& run, LogPosition way, const LogPosition& position) const;

  Backend& backend_;
  Run& run_;
  const RunLog& log_;
  Snapshots snapshots_;
  std::chrono::steady_clock::time_point last_snapshot_time_;
};

}  // namespace perturb
