// One run: a simulation, its start, and every change since, grouped into undo steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/run/backends.h"
#include "app/run/recovery.h"
#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/state_restorer.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Owns the start of a run and all choices since: parameters, kernel, seed, preset, actions, view. Does not depend on
// the window: the window, the headless run and the tests all use this class.
class Experiment {
 public:
  // Creates the simulation that `scene` describes. Throws InputError if the scene is invalid.
  Experiment(Backends backends, Scene scene);
  // Resumes from a saved state.
  Experiment(Backends backends, Scene scene, const State& state);
  Experiment(Backends backends, Start start);

  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  // False if creating the next run failed or was stopped after this one had been released to free memory for it.
  bool has_run() const { return run_.simulation != nullptr; }
  Simulation& simulation() { return *run_.simulation; }
  const Simulation& simulation() const { return *run_.simulation; }
  const SimulationInfo& info() const { return simulation().info(); }
  // The scene for a restart: the original one with the current parameters.
  const Scene& scene() const { return run_.scene; }
  const Setup& setup() const { return run_.scene.setup; }
  const std::string& kernel() const { return run_.kernel; }
  // The state to save: with the kernel that the user chose.
  State saved_state() const;
  // The start since the last restart.
  const Start& start() const { return log_.segment().start; }
  // That of the current run; another one may have another.
  Backend& backend() const { return *run_.backend; }
  const Backends& backends() const { return backends_; }

  // Schedules events, as from a script, to be applied when the run reaches their step. Sorts them. Throws InputError
  // for an event with an unknown id and for one whose step is already taken.
  void schedule(std::vector<Event> events);
  // Takes `count` steps and applies the scheduled events between them. On CUDA the steps are queued. Under a StopScope
  // it may throw Stopped between two steps, or between an event and its step. Completed steps remain, and the run can
  // continue from there.
  void advance(std::int64_t count);

  // Changes that can be undone. Each is applied between steps and added to the log. Throws InputError and leaves
  // everything unchanged. `client`: number of the one that makes the change, if several share the run; 0: the window or
  // the page. `merge_with_last`: the change joins the last undo step, as in a slider drag, if that is of this client.
  void perform(const Action& action, bool merge_with_last = false, int client = 0);
  // Applies a gesture through Simulation::interpret. A press begins an undo step, which lasts until the client's next
  // press. Gestures of several clients at a time are one undo step each, in the order of their presses; the log has
  // their actions in the order of time, so that undo of one also goes back to before the later actions of the others.
  void perform(const Gesture& gesture, int client = 0);
  // No action of the gesture follows.
  void end_gesture(int client);
  // The client drags an object: from now on, actions of the others that change it throw InputError, until it releases
  // its objects or the run jumps (restart, undo, another scene). Throws InputError if another client holds it.
  void hold_object(int object, int client);
  void release_objects(int client);
  // A live parameter changes the running simulation. Any other one recreates the simulation from its setup.
  void set_parameter(const std::string& id, double value, bool merge_with_last = false, int client = 0);
  // Sets how a step is computed, from now on and after a restart: an id of info().kernels or "auto".
  void choose_kernel(const std::string& id);
  // Restarts from this setup with the current parameters (`defaults`: with those of the preset).
  void restart(bool defaults = false, bool merge_with_last = false);
  // Restarts and applies the lasting actions since the last restart again (ActionKind::lasting), in order, as one undo
  // step. Actions that are no longer possible, such as removing a source that has moved, are left out and reported by
  // take_warning().
  void restart_keeping();
  // Restarts with another width, such as a number of fibers. Throws InputError for a scene whose width does not count
  // anything (Scene::count), and for a width that the simulation rejects.
  void restart_with_width(int width);
  // Restarts a race, by time or by steps: its lanes begin level again. Throws InputError if the scene is no race.
  void restart_race(bool by_time);

  // Turns recording on or off; it is on at first. Recording serves undo, scripts and the return to the last finite
  // state. Without it, a run uses no memory for its history, however long it is used (kiosk).
  void set_recording(bool on) { recording_ = on; }
  // Sets the clock that periodic snapshots follow, for tests.
  void set_snapshot_clock(StateRestorer::Clock clock) { restorer_.set_clock(std::move(clock)); }
  // From now on an edited kernel that fails stops the run: there is no user who could correct its text.
  void stop_at_failed_kernel() { stops_at_failed_kernel_ = true; }

  // Changes the view. This is an event but not an undo step, so undo keeps it.
  void show(const ViewChange& shown);
  const ViewChange& shown() const { return shown_; }

  // Undo removes the last undo step and restores the state just before it, bit for bit, including the step count. Redo
  // restores the state before the undo. Both return a message; empty: nothing to undo or redo. Both throw Error and
  // leave everything unchanged when memory runs out.
  Message undo();
  Message redo();
  // Label of the next undo step to undo or redo; empty: none.
  Message next_undo() const { return log_.can_undo() ? log_.undo_steps().back().label : Message(); }
  Message next_redo() const { return log_.can_redo() ? log_.next_redo().label : Message(); }

  // Returns to the state after the given step since the last restart, and the events at it, bit for bit. What comes
  // later leaves the log, as one undo step; further calls belong to it, and one with the last step takes it back, until
  // the run continues. The steps since the last snapshot are repeated for about `limit`; if that is too short, the run
  // is at an earlier step and another call goes on from there. Clamps the step to `past()`. Without recording it does
  // nothing.
  void return_to_step(std::int64_t step, std::chrono::milliseconds limit = std::chrono::hours(1));
  // The first and the last step to which it leads; both are the current one without recording.
  std::pair<std::int64_t, std::int64_t> past() const;

  // Opens another preset or simulation. Throws if it cannot be created; the old run is then kept.
  void open(Scene scene);
  // Resumes from a saved state: creates its simulation and loads it. If that fails, the old run is kept.
  void open(Scene scene, const State& state);
  // If `label` is not empty, an undo leads back to the previous run, and the label names this opening ("Another
  // scene").
  void open(Start start, const Message& label = {});
  // Number of the current opening of a scene or file: changes when another one is opened, also by undo.
  std::uint64_t opening() const { return log_.segment().opening; }
  // Id of the last change of the run: the same as long as only the view changes.
  std::uint64_t last_change() const { return log_.last_change(); }
  // The same at the last step of past().
  std::uint64_t last_change_of_past() const {
    return log_.fresh_return(step()) ? log_.last_change_before_return() : log_.last_change();
  }
  bool undo_opens_scene() const { return log_.can_undo() && log_.undo_steps().back().opens; }
  bool redo_opens_scene() const { return log_.can_redo() && log_.next_redo().opens; }

  // The events since the last restart.
  const std::vector<Event>& log() const { return log_.segment().events; }
  // Returns a message for the user about any deviation from the request, once; empty: none.
  Message take_warning();

  // Why the edited kernel that was chosen last is no longer in use: it hung, crashed or gave values that are not
  // finite. Empty: nothing of that kind has happened since a kernel was chosen or a scene opened.
  const Message& edited_kernel_failure() const { return edited_kernel_failure_; }
  // How often the run has gone back by itself, to discard the steps of an edited kernel: what was measured of it then
  // belongs to another course.
  std::uint64_t returns() const { return returns_; }

  // Message that says why the run stopped (values no longer finite); empty: it has not stopped. While stopped,
  // advance() does nothing.
  const Message& stop_reason() const { return recovery_.stop_reason(); }
  // Stops the run if the diagnostics contain values that are not finite. Call it with each new Diagnostics.
  void check_diagnostics(const Diagnostics& diagnostics);
  // Whether a good earlier state is available, and the return to it. A state is good only if the run
  // stayed finite for long under its parameters: the run is deterministic, so it would fail again under those that made
  // it fail.
  bool can_restore_last_good() const { return recovery_.can_restore_last_good(here()); }
  void restore_last_good();
  // Looks for a change under which the stopped run stays finite: tries those that the simulation names, each on a copy
  // of the run from the last good state, with the user's later changes; then the good state without these changes.
  // Takes as long as some replays of that time. Under a StopScope it may throw Stopped. Once for each stop.
  void find_remedy();
  bool has_sought_remedy() const { return recovery_.has_sought_remedy(); }
  // None: not sought yet, or nothing that was tried works.
  const std::optional<Remedy>& remedy() const { return recovery_.remedy(); }
  // Applies it, as in the trial: returns to the last good state, changes the parameter there, and repeats the user's
  // later changes. The change is an undo step. Does nothing without a remedy.
  void apply_remedy();

 private:
  std::int64_t step() const { return run_.simulation->steps(); }
  // Takes the steps up to `end` and applies the scheduled events between them. Stops early at values that are not
  // finite.
  void advance_to(std::int64_t end);
  // Applies an event now and logs it. Throws InputError and leaves everything unchanged. `label`: of the undo step that
  // it begins, unless it joins one.
  void apply_and_log(const Event& event, const Message& label, bool joins, int client);
  // The start of a restart: the scene with the current parameters and the kernel.
  Start restarted() const;
  // Restarts the run; this is an undo step too.
  void begin_segment(Start start, const Message& label, bool joins, int client);
  // Throw InputError if another client holds the object, or the one that the action changes.
  void require_free(int object, int client) const;
  void require_free(const Action& action, int client) const;
  void set_run(Run run);
  void reset_after_jump();
  LogPosition here() const { return {log_.segment_number(), step(), log_.events(), next_scheduled_}; }
  // Snapshot of the current state, before an undo step; null if none is kept.
  const Snapshot* take_snapshot() {
    return stop_reason().empty() && recording_ ? restorer_.take_snapshot(here()) : nullptr;
  }
  // The built-in kernel takes over; `discards_its_steps`: from where the edited one did.
  void leave_edited_kernel(const Message& why, bool discards_its_steps);
  // Goes back within the segment, and forgets what came later.
  void return_to(const LogPosition& position);
  void begin_undo_step(const UndoStep& undo_step);
  void record(const Event& event, bool in_undo_step);
  void make_checkpoint();
  void go_to(const LogPosition& position, bool same_segment, const Snapshot* now = nullptr);
  // Goes to a position of the reverted log, and drops the snapshots after it; `opening`: that of the run before it.
  void rewind_to(const LogPosition& position, std::uint64_t opening);
  // Call after undo or redo; `opening`: that of the run before it.
  void restore_view(std::uint64_t opening);
  // Takes the steps up to these events and applies them again, as parts of their undo step.
  void repeat(Recovery::Changes changes);
  // Logs an applied event as the begin of an undo step, or as a part of the last one.
  void log_applied(const Event& event, const UndoStep& undo_step, bool opens);

  Backends backends_;
  Run run_;
  RunLog log_;
  StateRestorer restorer_;
  Recovery recovery_{run_, log_, restorer_};
  std::size_t next_scheduled_ = 0;
  bool recording_ = true;
  bool stops_at_failed_kernel_ = false;
  std::set<int> gestures_;           // clients whose current gesture has begun an undo step
  std::optional<int> last_client_;   // the client of the last undo step, which its next change can join
  std::map<int, int> held_objects_;  // the client that drags it, by object
  ViewChange shown_;
  Message warning_, edited_kernel_failure_;
  std::uint64_t returns_ = 0;
};

}  // namespace perturb
