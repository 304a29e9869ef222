// A run with its log: records every change, grouped into undo steps, and undoes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/state_restorer.h"

namespace perturb {

class LoggedRun {
 public:
  explicit LoggedRun(Backend& backend) : backend_(backend), restorer_(backend, run_, log_) {}
  LoggedRun(const LoggedRun&) = delete;
  LoggedRun& operator=(const LoggedRun&) = delete;

  // Opens another run. Throws if it cannot be created; the old run is then kept. With `label`, an undo leads back to
  // the old run if it had any changes; the label names this opening in the list of undo steps. Empty: no way back.
  void open(Start start, const Message& label = {});
  // False if creating the next run failed or was stopped after this one had been released to free memory for it.
  bool is_there() const { return run_.simulation != nullptr; }
  const Run& run() const { return run_; }
  Simulation& simulation() const { return *run_.simulation; }
  std::int64_t step() const { return run_.simulation->steps(); }
  const RunLog& log() const { return log_; }

  // Turns recording on or off.
  void set_recording(bool on) { recording_ = on; }

  // Sorts the events. Throws InputError for an event with an unknown id or a step that is already taken.
  void schedule(std::vector<Event> events);
  // Takes the steps up to `end` and applies the scheduled events between them. Stops early at values that are not
  // finite.
  void advance_to(std::int64_t end);

  // Applies an event now and logs it. Throws InputError and leaves everything unchanged. `label`: of the undo step that
  // it begins, unless `merge_with_last` and no other change has come between.
  void apply_and_log(const Event& event, const Message& label, bool merge_with_last);
  // Restarts the run; this is an undo step too.
  void begin_segment(Start start, const Message& label, bool merge_with_last);
  // Logs a change of the view; it is not an undo step.
  void show(const ViewChange& shown);
  const ViewChange& shown() const { return shown_; }
  // Returns the message about any deviation from the request, once; empty: none.
  Message take_warning();

  // Both return a message; empty: nothing to undo or redo. Throw Error and leave everything unchanged when memory runs
  // out.
  Message undo();
  Message redo();

  // Why the run stopped (values no longer finite); empty: it has not stopped.
  const Message& stop_reason() const { return stop_reason_; }
  // Diagnostics have arrived and are finite: takes a snapshot from time to time.
  void on_finite_diagnostics() {
    if (recording_) restorer_.snapshot_periodically(here());
  }
  void stop(const Message& why, std::int64_t step) { stop_reason_ = why, stop_step_ = step; }
  // A state is good only if the run stayed finite for long under its parameters: the run is deterministic, so it would
  // fail again under those that made it fail.
  bool can_restore_last_good() const;
  void restore_last_good();

 private:
  void set_run(Run run);
  void reset_after_jump();
  LogPosition here() const { return {log_.segment_number(), step(), log_.events(), next_scheduled_}; }
  // Snapshot of the current state, before an undo step; null if none is kept.
  const Snapshot* take_snapshot() {
    return stop_reason_.empty() && recording_ ? restorer_.take_snapshot(here()) : nullptr;
  }
  void begin_undo_step(const UndoStep& undo_step);
  void record(const Event& event, bool in_undo_step);
  void make_checkpoint();
  void go_to(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);
  // Call after undo or redo; `opening`: that of the run before it.
  void restore_view(std::uint64_t opening);
  // Number of steps for which the run must stay finite under the same parameters for these to count as good.
  std::int64_t min_good_steps() const;
  // The snapshot to return to if there is no undo step to recover from.
  const Snapshot* last_snapshot_before_stop() const;

  Backend& backend_;
  Run run_;
  RunLog log_;
  StateRestorer restorer_;
  std::size_t next_scheduled_ = 0;
  bool recording_ = true;
  bool can_merge_ = false;  // no other change has come since the last undo step
  ViewChange shown_;
  Message warning_, stop_reason_;
  std::int64_t stop_step_ = 0;
};

}  // namespace perturb
