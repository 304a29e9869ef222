// A run with its log: what happens to it is written down, deed by deed, and what was done can be undone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/event.h"
#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/state_restorer.h"

namespace perturb {

class LoggedRun {
 public:
  explicit LoggedRun(Backend& backend) : backend_(backend), restorer_(backend, run_, log_) {}
  LoggedRun(const LoggedRun&) = delete;
  LoggedRun& operator=(const LoggedRun&) = delete;

  // Another run. The old one stays when the new one cannot be made (Throws). With `label` an undo leads back to it,
  // where something was done to it: the label of this opening in the list of deeds. Empty: nothing leads back.
  void open(Start start, const std::string& label = {});
  // False after a failure or an end that came while this run had made way in memory for the next one.
  bool is_there() const { return run_.simulation != nullptr; }
  const Run& run() const { return run_; }
  Simulation& simulation() const { return *run_.simulation; }
  std::int64_t step() const { return run_.simulation->steps(); }
  const RunLog& log() const { return log_; }

  // Whether what happens is remembered.
  void set_recording(bool on) { recording_ = on; }

  // Sorted here. Throws InputError for one that names nothing known or comes too late.
  void schedule(std::vector<Event> events);
  // Takes the steps up to `end`, with the scheduled events between them; numbers that are no longer finite stop it.
  void advance_to(std::int64_t end);

  // Done now, and written down. Throws InputError and leaves everything as it was. `label`: the deed that it begins,
  // unless `merge_with_last` and nothing has come between.
  void apply_and_log(const Event& event, const std::string& label, bool merge_with_last);
  // The run begins again: a deed too.
  void begin_segment(Start start, const std::string& label, bool merge_with_last);
  // A change of what is shown is written down, but is no deed.
  void show(const ViewChange& shown);
  const ViewChange& shown() const { return shown_; }
  // What had to be done otherwise than was asked; empty: nothing. Told once.
  std::string take_warning();

  // A sentence that says so; empty: there was nothing to do. Throws Error, and leaves everything as it was, when memory
  // runs out.
  std::string undo();
  std::string redo();

  // Why it stopped (numbers no longer finite); empty while all is well.
  const std::string& stop_reason() const { return stop_reason_; }
  // Numbers have come in: states are kept on the way while they are good.
  void on_finite_diagnostics() {
    if (recording_) restorer_.snapshot_periodically(here());
  }
  void stop(const std::string& why, std::int64_t step) { stop_reason_ = why, stop_step_ = step; }
  // A state is good only with parameters under which the run stayed finite for long: the run is deterministic, and with
  // those that led to trouble it would end there again.
  bool can_restore_last_good() const;
  void restore_last_good();

 private:
  void set_run(Run run);
  void reset_after_jump();
  LogPosition here() const { return {log_.segment_number(), step(), log_.events(), next_scheduled_}; }
  // This state, before a deed; null where none is kept.
  const Snapshot* take_snapshot() {
    return stop_reason_.empty() && recording_ ? restorer_.take_snapshot(here()) : nullptr;
  }
  void begin_undo_step(const UndoStep& undo_step);
  void record(const Event& event, bool in_undo_step);
  void make_checkpoint();
  void go_to(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);
  // After a way back; `opening`: the one that the run was in before it.
  void restore_view(std::uint64_t opening);
  // As many steps as the run must go on well under the same parameters for these to be good.
  std::int64_t min_good_steps() const;
  // The place to go back to where there is no deed to go back before.
  const Snapshot* last_snapshot_before_stop() const;

  Backend& backend_;
  Run run_;
  RunLog log_;
  StateRestorer restorer_;
  std::size_t next_scheduled_ = 0;
  bool recording_ = true;
  bool can_merge_ = false;  // the last deed may: nothing has come between
  ViewChange shown_;
  std::string warning_, stop_reason_;
  std::int64_t stop_step_ = 0;
};

}  // namespace perturb
