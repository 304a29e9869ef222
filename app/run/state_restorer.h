// How a state from before is brought about: from the last snapshot on the way there, or from where its segment began,
// and the events and steps between. So a snapshot is never needed, only quicker.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/snapshots.h"

namespace perturb {

// Knows the run that it keeps snapshots of, and its log; both outlive it.
class StateRestorer {
 public:
  StateRestorer(Backend& backend, Run& run, const RunLog& log) : backend_(backend), run_(run), log_(log) {}

  // Keeps the run's state, which is that of `here`, if there is memory for it, and where the start and the last
  // snapshot do not lead here as well; what is kept of this very state, or null.
  const Snapshot* take_snapshot(const LogPosition& here);
  // The same for small runs every few seconds, and memory for the copy that an undo begins with. Call it often.
  void snapshot_periodically(const LogPosition& here);
  void restart_interval() { last_snapshot_time_ = std::chrono::steady_clock::now(); }
  // The last one on the way to this place; null: none.
  const Snapshot* find(const LogPosition& position) const { return snapshots_.find(log_, position); }
  void drop_after(const LogPosition& position) { snapshots_.drop_after(position); }
  void clear() { snapshots_.clear(); }
  // Another scene is open: memory that was laid aside for a copy does not fit it.
  void drop_spare() { snapshots_.drop_spare(); }

  // Where this run and another do not fit into memory side by side, the run goes first, if the other one fits then.
  // False: it does not.
  bool make_room_for(const Setup& setup);

  // Brings about the state of a place of the log; `same_segment`: of the one in which the run is. `now`: this very
  // state, where it is kept. Throws and leaves everything as it was.
  void restore(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);

 private:
  std::size_t run_bytes() const;
  std::size_t snapshot_budget() const;
  void keep_spare();
  bool restore_in_place(const Snapshot& from, const LogPosition& position, const Snapshot* now,
                        std::unique_ptr<StateCopy> spare);
  // Does the events and takes the steps from a place on its segment.
  void replay_to(Run& run, LogPosition way, const LogPosition& position) const;

  Backend& backend_;
  Run& run_;
  const RunLog& log_;
  Snapshots snapshots_;
  std::chrono::steady_clock::time_point last_snapshot_time_;
};

}  // namespace perturb
