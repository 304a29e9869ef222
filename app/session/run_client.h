// What a session and its run say to each other: orders are asked, answers are taken in, and the user is told what
// concerns them. The parts of a session have no other way to the run.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "app/run/experiment.h"
#include "app/run/runner.h"
#include "app/session/ui_state.h"

namespace perturb {

// The run answers at once where it lives on this thread. Else a frame waits for it for a moment, in which short steps
// are done, and then goes on without: what was asked is done in turn, and the facts are those of the last answer.
class RunClient {
 public:
  using OnDone = Runner::OnDone;

  // Both outlive it. The experiment is the run's alone while orders are under way.
  RunClient(Experiment& experiment, Runner::Where where, UiState& state);

  // The run as it is shown.
  const RunStatus& run() const { return *runner_->status(); }
  const SimulationInfo& info() const { return *run().info; }
  DomainSize domain() const { return {run().domain_width, run().domain_height}; }
  const Backend& backend() const { return backend_; }

  // A frame begins: takes in what has been answered. What is asked in it is waited for a moment, all together.
  void begin_frame();
  void poll() { runner_->deliver_results(); }
  // With a run on this thread: somebody else may have driven it.
  void refresh_status() { runner_->refresh_status(); }
  // Whether all is done that was asked, and taken in.
  bool is_idle() const { return runner_->is_idle(); }
  // Gives up the frame's order that is being done, if one is; whether one was.
  bool cancel() { return runner_->cancel(); }
  // Gives up the frame's order that is being done, and waits until all others are done; whether they are.
  bool finish(std::chrono::seconds limit);
  // Called on the run's thread when it rests again.
  void on_idle(std::function<void()> call) { runner_->on_idle(std::move(call)); }
  // Gives up what is under way, for good: from now on there is no run to ask, and there are no facts.
  void disconnect() { runner_.reset(); }

  void post(RunJob job, OnDone on_done);
  // Asks the run, and waits for its answer as long as the frame may. `on_done` throws what it does not expect; what is
  // an Error is told.
  void run_job(RunJob job, OnDone on_done);
  // The same, where a failure is no message but the end.
  void run_frame_job(RunJob job, OnDone on_done);

  // For the status line. Parameters are then named by their labels.
  void show_message(const std::string& message);
  // The same of what went wrong: it looks like that, and stays until it is dismissed, or a minute.
  void show_error(const std::string& message);
  // So many seconds have passed: what has been told, or offered, stands for a while only.
  void age_messages(double seconds);

 private:
  const Backend& backend_;
  UiState& state_;
  Runner::Clock::time_point frame_deadline_;  // until when this frame waits
  std::optional<Runner> runner_;
};

}  // namespace perturb
