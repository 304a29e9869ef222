// One run: a simulation, how it began, and everything that was done to it since.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/run/event.h"
#include "app/run/logged_run.h"
#include "cuda/core/simulation/simulation.h"

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
  bool has_run() const { return run_.is_there(); }
  Simulation& simulation() { return run_.simulation(); }
  const Simulation& simulation() const { return run_.simulation(); }
  const SimulationInfo& info() const { return simulation().info(); }
  // How this run would begin again: as it began, with the parameters as they have been chosen since.
  const Scene& scene() const { return run_.run().scene; }
  const Setup& setup() const { return run_.run().scene.setup; }
  const std::string& kernel() const { return run_.run().kernel; }
  // How it did begin, since the last restart.
  const Start& start() const { return run_.log().segment().start; }
  Backend& backend() const { return backend_; }

  // Events that happen when their step is reached, as a script gives them; sorted here. Throws InputError for one that
  // names nothing known. Events of steps already taken are refused.
  void schedule(std::vector<Event> events) { run_.schedule(std::move(events)); }
  // Takes `count` steps, with the scheduled events between them. On CUDA the steps are queued. Under a
  // StopScope it may throw Stopped between two of them, or between an event and its step; what is done is done,
  // and it can go on from there.
  void advance(std::int64_t count);

  // Deeds: each is done between steps, added to the log and can be undone. Throws InputError and leaves everything as
  // it was. `merge_with_last`: it belongs to the last deed, as the next place of a slider on its way does.
  void perform(const Action& action, bool merge_with_last = false);
  // Through Simulation::interpret. A press begins a deed, which goes on until the next press.
  void perform(const Gesture& gesture);
  // A live parameter changes the running simulation; one that needs a restart makes it anew from its setup.
  void set_parameter(const std::string& id, double value, bool merge_with_last = false);
  // How a step is computed, from now on and after a restart: an id of info().kernels or "auto".
  void choose_kernel(const std::string& id);
  // Back to the start of this setup, keeping the parameters as they are now (`defaults`: as the preset has them).
  void restart(bool defaults = false, bool merge_with_last = false);
  // The same, and what was built since the last restart (ActionKind::lasting) is built again, in its order: one deed.
  // What can no longer be done, as to take away a source that is elsewhere now, is left out, and said (take_warning).
  void restart_keeping();

  // Whether what happens is remembered, for undo, scripts and the way out of trouble: it is. Where nobody asks for any
  // of that, a run that forgets takes no memory, however long hands play with it.
  void set_recording(bool on) { run_.set_recording(on); }

  // What is shown. A change of it is an event, but no deed: undo leaves it.
  void show(const ViewChange& shown) { run_.show(shown); }
  const ViewChange& shown() const { return run_.shown(); }

  // Undo takes the last deed out of the run and brings back the state just before it, steps and all, to the bit; redo
  // brings back the state before the undo. A sentence that says so; empty: there was nothing to do. Throws Error, and
  // leaves everything as it was, when memory runs out.
  std::string undo() { return gesture_began_ = false, run_.undo(); }
  std::string redo() { return gesture_began_ = false, run_.redo(); }
  // The deed that would be undone or redone; empty: none.
  std::string next_undo() const { return run_.log().can_undo() ? run_.log().undo_steps().back().label : ""; }
  std::string next_redo() const { return run_.log().can_redo() ? run_.log().next_redo().label : ""; }

  // Another preset or simulation. The old run stays when the new one cannot be made (Throws).
  void open(Scene scene);
  // Goes on from a saved state: makes the simulation it names and loads it. The old run stays when that fails.
  void open(Scene scene, const State& state);
  // `label` not empty: an undo leads back to the run before, and this names the opening ("Another scene").
  void open(Start start, const std::string& label = {});
  // Which opening of a scene or file the run follows: another number after another scene, also by undo.
  std::uint64_t opening() const { return run_.log().segment().opening; }
  // Which change of the run came last: equal where nothing but the view has changed.
  std::uint64_t last_change() const { return run_.log().last_change(); }
  bool undo_opens_scene() const { return run_.log().can_undo() && run_.log().undo_steps().back().opens; }
  bool redo_opens_scene() const { return run_.log().can_redo() && run_.log().next_redo().opens; }

  // What has happened since the last restart.
  const std::vector<Event>& log() const { return run_.log().segment().events; }
  // What had to be done otherwise than was asked, in a sentence for the user; empty: nothing. Told once.
  std::string take_warning();

  // The sentence that tells why the run stopped (numbers no longer finite), empty while all is well. While there is
  // trouble, advance() does nothing.
  const std::string& stop_reason() const { return run_.stop_reason(); }
  // Looks at diagnostics for numbers that are no longer finite; call with each Diagnostics that comes in.
  void check_diagnostics(const Diagnostics& diagnostics);
  // Whether a good state from before the trouble is at hand, and how to go back to it. A state is good only with
  // parameters under which the run stayed finite for long: the run is deterministic, and with those that led to trouble
  // it would end there again.
  bool can_restore_last_good() const { return run_.can_restore_last_good(); }
  void restore_last_good() { gesture_began_ = false, run_.restore_last_good(); }

 private:
  Start restarted() const;

  LoggedRun run_;
  Backend& backend_;
  bool gesture_began_ = false;  // the last deed is of the gesture that goes on
  std::string warning_;
};

}  // namespace perturb
