// A run with its log: what happens to it is written down, deed by deed, and what was done can be undone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/event.h"
#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/ways_back.h"

namespace perturb {

class LoggedRun {
 public:
  explicit LoggedRun(Backend& backend) : backend_(backend), ways_(backend, run_, log_) {}
  LoggedRun(const LoggedRun&) = delete;
  LoggedRun& operator=(const LoggedRun&) = delete;

  // Another run. The old one stays when the new one cannot be made (Throws). With `what` an undo leads back to it,
  // where something was done to it: the label of this opening in the list of deeds. Empty: nothing leads back.
  void open(Start start, const std::string& what = {});
  // False after a failure or an end that came while this run had made way in memory for the next one.
  bool is_there() const { return run_.simulation != nullptr; }
  const Run& run() const { return run_; }
  Simulation& simulation() const { return *run_.simulation; }
  std::int64_t step() const { return run_.simulation->steps(); }
  const RunLog& log() const { return log_; }

  // Whether what happens is remembered.
  void remember(bool all) { remembers_ = all; }

  // Sorted here. Throws InputError for one that names nothing known or comes too late.
  void schedule(std::vector<Event> events);
  // Takes the steps up to `end`, with the scheduled events between them; numbers that are no longer finite stop it.
  void advance_to(std::int64_t end);

  // Done now, and written down. Throws InputError and leaves everything as it was. `what`: the deed that it begins,
  // unless `goes_on` and nothing has come between.
  void do_deed(const Event& event, const std::string& what, bool goes_on);
  // The run begins again: a deed too.
  void begin_leg(Start start, const std::string& what, bool goes_on);
  // A change of what is shown is written down, but is no deed.
  void show(const ViewChange& shown);
  const ViewChange& shown() const { return shown_; }
  // What had to be done otherwise than was asked; empty: nothing. Told once.
  std::string take_note();

  // A sentence that says so; empty: there was nothing to do. Throws Error, and leaves everything as it was, when memory
  // runs out.
  std::string undo();
  std::string redo();

  // Why it stopped (numbers no longer finite); empty while all is well.
  const std::string& trouble() const { return trouble_; }
  // Numbers have come in: states are kept on the way while they are good.
  void is_well() {
    if (remembers_) ways_.keep_now_and_then(here());
  }
  void stop(const std::string& why, std::int64_t step) { trouble_ = why, trouble_step_ = step; }
  // A state is good only with parameters under which the run stayed finite for long: the run is deterministic, and with
  // those that led to trouble it would end there again.
  bool can_go_back() const;
  void go_back();

 private:
  void adopt(Run run);
  void begin_to_watch();
  Place here() const { return {log_.leg_number(), step(), log_.events(), next_scheduled_}; }
  // This state, before a deed; null where none is kept.
  const Snapshot* keep() { return trouble_.empty() && remembers_ ? ways_.keep(here()) : nullptr; }
  void open_deed(const Deed& deed);
  void record(const Event& event, bool of_deed);
  void find_new_start();
  void go_to(const Place& place, bool same_leg, const Snapshot* now = nullptr);
  // After a way back; `opening`: the one that the run was in before it.
  void show_again(std::uint64_t opening);
  // As many steps as the run must go on well under the same parameters for these to be good.
  std::int64_t long_run() const;
  // The place to go back to where there is no deed to go back before.
  const Snapshot* snapshot_on_the_way() const;

  Backend& backend_;
  Run run_;
  RunLog log_;
  WaysBack ways_;
  std::size_t next_scheduled_ = 0;
  bool remembers_ = true;
  bool may_go_on_ = false;  // the last deed may: nothing has come between
  ViewChange shown_;
  std::string note_, trouble_;
  std::int64_t trouble_step_ = 0;
};

}  // namespace perturb
