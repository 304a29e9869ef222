// One run: a simulation, how it began, and everything that was done to it since.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/run/event.h"
#include "app/run/run.h"
#include "app/run/run_log.h"
#include "app/run/snapshots.h"
#include "cuda/core/simulation.h"

namespace perturb {

// Owns what a run began with and what has been chosen since: parameters, kernel, seed, preset, actions, view. Knows no
// window: the window, the headless run and the tests all drive this.
class Experiment {
 public:
  // Makes the simulation that `scene` describes. Throws InputError for what is wrong in it.
  Experiment(Backend& backend, Scene scene);
  // Goes on from a saved state.
  Experiment(Backend& backend, Scene scene, const State& state);
  Experiment(Backend& backend, Start start);

  // False after a failure or an end that came while this run had made way in memory for the next one.
  bool has_run() const { return run_.simulation != nullptr; }
  Simulation& simulation() { return *run_.simulation; }
  const Simulation& simulation() const { return *run_.simulation; }
  const SimulationInfo& info() const { return simulation().info(); }
  // How this run would begin again: as it began, with the parameters as they have been chosen since.
  const Scene& scene() const { return run_.scene; }
  const Setup& setup() const { return run_.scene.setup; }
  const std::string& kernel() const { return run_.kernel; }
  // How it did begin, since the last restart.
  const Start& start() const { return log_.leg().start; }
  Backend& backend() { return backend_; }

  // Events that happen when their step is reached, as a script gives them; sorted here. Throws InputError for one that
  // names nothing known. Events of steps already taken are refused.
  void schedule(std::vector<Event> events);
  // Takes `count` steps, with the scheduled events between them. On CUDA the steps are queued. Under a
  // StopScope it may throw Stopped between two of them, or between an event and its step; what is done is done,
  // and it can go on from there.
  void advance(std::int64_t count);

  // Deeds: each is done between steps, added to the log and can be undone. Throws InputError and leaves everything as
  // it was. `goes_on`: it belongs to the last deed, as the next place of a slider on its way does.
  void perform(const Action& action, bool goes_on = false);
  // Through Simulation::interpret. A press begins a deed, which goes on until the next press.
  void perform(const Gesture& gesture);
  // A live parameter changes the running simulation; one that needs a restart makes it anew from its setup.
  void set_parameter(const std::string& id, double value, bool goes_on = false);
  // How a step is computed, from now on and after a restart: an id of info().kernels or "auto".
  void choose_kernel(const std::string& id);
  // Back to the start of this setup, keeping the parameters as they are now (`defaults`: as the preset has them).
  void restart(bool defaults = false, bool goes_on = false);
  // The same, and what was built since the last restart (ActionKind::lasting) is built again, in its order: one deed.
  // What can no longer be done, as to take away a source that is elsewhere now, is left out, and said (take_note).
  void restart_keeping();

  // Whether what happens is remembered, for undo, scripts and the way out of trouble: it is. Where nobody asks for any
  // of that, a run that forgets takes no memory, however long hands play with it.
  void remember(bool all) { remembers_ = all; }

  // What is shown. A change of it is an event, but no deed: undo leaves it.
  void show(const ViewChange& shown);
  const ViewChange& shown() const { return shown_; }

  // Undo takes the last deed out of the run and brings back the state just before it, steps and all, to the bit; redo
  // brings back the state before the undo. A sentence that says so; empty: there was nothing to do. Throws Error, and
  // leaves everything as it was, when memory runs out.
  std::string undo();
  std::string redo();
  // The deed that would be undone or redone; empty: none.
  std::string next_undo() const { return log_.can_undo() ? log_.deeds().back().what : ""; }
  std::string next_redo() const { return log_.can_redo() ? log_.next_redo().what : ""; }

  // Another preset or simulation. The old run stays when the new one cannot be made (Throws).
  void open(Scene scene);
  // Goes on from a saved state: makes the simulation it names and loads it. The old run stays when that fails.
  void open(Scene scene, const State& state);
  void open(Start start);

  // What has happened since the last restart.
  const std::vector<Event>& log() const { return log_.leg().events; }
  // What had to be done otherwise than was asked, in a sentence for the user; empty: nothing. Told once.
  std::string take_note();

  // The sentence that tells why the run stopped (numbers no longer finite), empty while all is well. While there is
  // trouble, advance() does nothing.
  const std::string& trouble() const { return trouble_; }
  // Looks at diagnostics for numbers that are no longer finite; call with each Diagnostics that comes in.
  void inspect(const Diagnostics& diagnostics);
  // Whether a good state from before the trouble is at hand, and how to go back to it. A state is good only with
  // parameters under which the run stayed finite for long: the run is deterministic, and with those that led to trouble
  // it would end there again.
  bool can_go_back() const;
  void go_back();

 private:
  void adopt(Run run);
  // Keeps this state to come back to, if there is memory for it; what was kept of it, or null.
  const Snapshot* keep_snapshot();
  void lay_aside_for_undo();
  std::size_t own_bytes() const;
  std::size_t room_for_snapshots() const;
  // Adds what has happened. A log that grows long begins anew from a state on its way, behind which
  // deeds can still be undone.
  void record(const Event& event, bool of_deed);
  void find_new_start();
  // Whether a step has been taken since the last event: a state is then all that the coming steps depend on.
  bool is_between_events() const;
  void do_deed(const Event& event, const std::string& what, bool goes_on);
  void begin_leg(Start start, const std::string& what, bool goes_on);
  Place here() const;
  bool make_room_for(const Setup& setup);
  // Brings about the state of a place of the log; `same_leg`: of the one in which the run is. `now`: this very state,
  // where it is kept. Throws and leaves everything as it was.
  void reproduce(const Place& place, bool same_leg, const Snapshot* now = nullptr);
  bool reproduce_in_place(const Snapshot& from, const Place& place, const Snapshot* now, std::unique_ptr<Moment> spare);
  // Does the events and takes the steps from a place on its leg.
  void go_on_to(Run& run, Place way, const Place& place) const;
  void arrive(const Place& place);
  void begin_to_watch();
  void show_again();
  // As many steps as the run must go on well under the same parameters for these to be good.
  std::int64_t long_run() const;
  // The place to go back to where there is no deed to go back before.
  const Snapshot* snapshot_on_the_way() const;
  Deed deed_here(const std::string& what, bool sets) const;

  Backend& backend_;
  Run run_;
  std::map<std::string, double> preset_parameters_;
  RunLog log_;
  Snapshots snapshots_;
  std::size_t next_scheduled_ = 0;
  Place new_start_place_;  // where the log may begin anew
  Start new_start_;        // its state null: nowhere yet
  bool remembers_ = true;
  bool may_go_on_ = false;      // the last deed may: nothing has come between
  bool gesture_began_ = false;  // the last deed is of the gesture that goes on
  ViewChange shown_;
  std::string trouble_, note_;
  std::int64_t trouble_step_ = 0;
  std::chrono::steady_clock::time_point last_kept_;
};

}  // namespace perturb
