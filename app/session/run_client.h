// The session's access to the run: posts jobs, delivers their results, shows messages, and replaces the run. The parts
// of a session have no other access to it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/run/experiment.h"
#include "app/run/runner.h"

namespace perturb {

// The last message of the status line.
struct StatusMessage {
  Message text;           // empty: none
  double age = 0;         // seconds
  bool is_error = false;  // it reports an error, and stays until it is dismissed
  std::string folder;     // that the message offers to open; empty: none
};

// If the run is on this thread, jobs return immediately. Otherwise a frame waits briefly, long enough for short steps,
// and then continues without the result: jobs are executed in order, and the status is that of the last result.
class RunClient {
 public:
  using OnDone = Runner::OnDone;

  // Both must outlive it. Only the run thread may use the experiment while jobs are pending.
  RunClient(Experiment& experiment, Runner::Where where);

  // Status of the run as it is displayed.
  const RunStatus& run() const { return *runner_->status(); }
  const SimulationInfo& info() const { return *run().info; }
  DomainSize domain() const { return {run().domain_width, run().domain_height}; }
  Backend& backend() const { return *run().backend; }

  // Begins a frame: delivers the results that have arrived. The jobs of a frame share one short waiting time.
  void begin_frame();
  void poll() { runner_->deliver_results(); }
  // For a run on this thread that other code may have advanced.
  void refresh_status() { runner_->refresh_status(); }
  // Whether all jobs are done and their results delivered.
  bool is_idle() const { return runner_->is_idle(); }
  // Cancels the current frame job, if any; returns whether there was one.
  bool cancel() { return runner_->cancel(); }
  // Cancels the current frame job and waits until all other jobs are done; returns whether they are.
  bool finish(std::chrono::seconds limit);
  // Calls the function on the run thread when it becomes idle.
  void on_idle(std::function<void()> call) { runner_->on_idle(std::move(call)); }
  // Cancels the current job and ends the connection: no run and no status afterwards.
  void disconnect() { runner_.reset(); }

  void post(RunJob job, OnDone on_done);
  // Posts a job and waits for its result as long as the frame allows. `on_done` throws if the result is not the
  // expected one; an Error is shown as a message.
  void run_job(RunJob job, OnDone on_done);
  // The same, but an error is thrown instead of shown.
  void run_frame_job(RunJob job, OnDone on_done);

  const StatusMessage& message() const { return message_; }
  // The units of the values in messages.
  void show_units(std::function<const DisplayUnits&()> units) { units_ = std::move(units); }
  // Shows a message in the status line; `folder`: it offers to open it.
  void show_message(const Message& message, const std::string& folder = {});
  // Shows an error message; it stays until it is dismissed, or for a minute.
  void show_error(const Message& message);
  // Returns whether there was an error message.
  bool dismiss_error();
  // Advances the age of the message, which is shown for a limited time.
  void age_message(double seconds);

 private:
  Message in_shown_units(const Message& text) const { return units_ ? in_display_units(units_(), text) : text; }

  StatusMessage message_;
  std::function<const DisplayUnits&()> units_;
  Runner::Clock::time_point frame_deadline_;  // end of this frame's waiting time
  std::optional<Runner> runner_;
};

// Replaces the run: another scene or state, a restart, undo or redo. All in one place, because everything measured of
// the previous run becomes invalid and all parts of the session must be notified.
class RunSwitcher {
 public:
  // Called after the run was replaced; `new_scene`: by another scene, with its own view and tools.
  using OnRunReplaced = std::function<void(bool new_scene)>;
  using Fail = std::function<void(const Message& sentence)>;

  RunSwitcher(RunClient& client, OnRunReplaced on_run_replaced)
      : client_(client), on_run_replaced_(std::move(on_run_replaced)) {}

  // Checked before an undo or redo that leads to another scene: a lesson keeps its scene.
  void block_scene_undo_while(std::function<bool()> blocks) { blocks_scene_undo_ = std::move(blocks); }

  // Requests the run of the scene or file with this path. On success calls `then`, and on_run_replaced() of all parts.
  // On failure passes the reason to `fail`; if that is null, shows it as a message.
  void open(const std::string& path, job::Open open, std::function<void()> then, Fail fail = {});
  void on_run_replaced(bool new_scene) { on_run_replaced_(new_scene); }

  // Path of the scene that is displayed once all jobs are done; the file's path while a state file is being opened.
  std::string pending_scene() const;
  // Duration of each undo and redo in seconds.
  const std::vector<double>& undo_seconds() const { return undo_seconds_; }

  // `keep_built`: with the walls, sources and other lasting changes.
  void restart(bool keep_built);
  // With another width: the number of fibers, for example.
  void restart_with_width(int width);
  void restart_race(bool by_time);
  // Undo, or redo if not `back`.
  void undo_or_redo(bool back);
  void restore_last_good();
  // Call in every frame: notifies the parts if the run has gone back by itself (Experiment::returns()).
  void follow_returns();
  // Call in every frame: looks once, in the background, for a change that keeps a stopped run finite.
  void find_remedy();
  void apply_remedy();

 private:
  RunClient& client_;
  OnRunReplaced on_run_replaced_;
  std::function<bool()> blocks_scene_undo_;
  std::deque<std::string> opening_;  // paths of scenes and files being opened
  std::vector<double> undo_seconds_;
  bool seeks_remedy_ = false;
  std::uint64_t returns_ = 0;
};

}  // namespace perturb
