// Where a run that has stopped can continue: its last good state, and the change under which it stays finite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/run/remedy.h"
#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/state_restorer.h"

namespace perturb {

// Remembers why and where the run stopped, and finds the states to return to in its log and snapshots. It reverts the
// log, but does not move the run: the experiment does.
// Keeps references to all arguments, which must outlive it.
class Recovery {
 public:
  // The user's changes that one undo removes, without those that cannot be repeated.
  struct Changes {
    UndoStep undo_step;
    std::vector<Event> events;
  };

  Recovery(const Run& run, RunLog& log, const StateRestorer& restorer) : run_(run), log_(log), restorer_(restorer) {}

  // `step`: at which the values were no longer finite.
  void stop(const Message& why, std::int64_t step);
  // Empty: the run has not stopped.
  const Message& stop_reason() const { return stop_reason_; }
  // Call when the run has moved to another state: it is no longer stopped.
  void clear();

  // Number of steps for which the run must stay finite under the same parameters for these to count as good.
  std::int64_t min_good_steps() const;

  // `here`: the position of the run, in this and the following functions.
  bool can_restore_last_good(const LogPosition& here) const;
  // Reverts the log to the undo step before which the state was good, and returns its position. There must be an undo
  // step since the opening of the scene.
  LogPosition revert_to_last_good(const LogPosition& here);
  // The state to return to if there is no undo step to recover from: the last snapshot that is good, or the start of
  // the segment.
  LogPosition last_good_in_segment(const LogPosition& here) const;

  // Seeks a change under which the stopped run stays finite (Experiment::find_remedy).
  void find_remedy(const LogPosition& here);
  // No remedy is sought for this stop.
  void rule_out_remedy() { has_sought_remedy_ = true; }
  bool has_sought_remedy() const { return has_sought_remedy_; }
  // None: not sought yet, or nothing that was tried works.
  const std::optional<Remedy>& remedy() const { return remedy_; }
  // The good state in this segment from which remedies are tried.
  LogPosition remedy_start(const LogPosition& here) const;
  // Reverts the log to `start`, and returns what the user changed after it, in order. Leaves out changes of the
  // remedy's parameter, and events of a script: these are scheduled, and happen again by themselves.
  std::vector<Changes> revert_changes_since(const LogPosition& start, const Remedy& remedy, const LogPosition& here);

 private:
  const Snapshot* last_snapshot_before_stop(const LogPosition& here) const;
  LogPosition segment_start() const;
  // Index of the undo step before which the state was good.
  std::size_t recovery_step() const;

  const Run& run_;
  RunLog& log_;
  const StateRestorer& restorer_;
  Message stop_reason_;
  std::int64_t stop_step_ = 0;
  double stop_time_ = 0;
  std::optional<Remedy> remedy_;
  bool has_sought_remedy_ = false;
};

}  // namespace perturb
