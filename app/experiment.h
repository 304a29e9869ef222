// One run: a simulation, how it began, and everything that was done to it since.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/event.h"
#include "cuda/core/simulation.h"

namespace perturb {

// Knows the simulation and its history, but no window. The window, the headless run and the tests all drive this.
class Experiment {
 public:
  // Makes the simulation that `setup` describes. Throws InputError for what is wrong in it.
  Experiment(Backend& backend, Setup setup);
  // Goes on from a saved state.
  Experiment(Backend& backend, Setup setup, const State& state);

  Simulation& simulation() { return *simulation_; }
  const Simulation& simulation() const { return *simulation_; }
  const SimulationInfo& info() const { return simulation_->info(); }
  // How this run began (with restart-parameters as they are now).
  const Setup& setup() const { return setup_; }
  Backend& backend() { return backend_; }

  // Events that happen when their step is reached, as a script gives them; sorted here. Throws InputError for one that
  // names nothing known. Events of steps already taken are refused.
  void schedule(std::vector<Event> events);
  // Takes `count` steps, with the scheduled events between them. On CUDA the steps are queued.
  void advance(std::int64_t count);

  // Done between steps and added to the log. Throws InputError and leaves everything as it was.
  void perform(const Action& action);
  void perform(const Gesture& gesture);  // through Simulation::interpret
  // A live parameter changes the running simulation; one that needs a restart makes it anew from its setup.
  void set_parameter(const std::string& id, double value);
  // How a step is computed, from now on and after a restart: an id of info().kernels or "auto".
  void choose_kernel(const std::string& id);
  // What had to be done otherwise than was asked, in a sentence for the user; empty: nothing. Told once.
  std::string take_note();

  // Back to the start of this setup, keeping the parameters as they are now (`defaults`: as the preset has them).
  void restart(bool defaults = false);
  // Another preset or simulation. The old run stays when the new one cannot be made (Throws).
  void open(Setup setup);
  // Goes on from a saved state: makes the simulation it names and loads it. The old run stays when that fails.
  void open(Setup setup, const State& state);

  const std::vector<Event>& log() const { return log_; }

  // The sentence that tells why the run stopped (numbers no longer finite), empty while all is well. While there is
  // trouble, advance() does nothing.
  const std::string& trouble() const { return trouble_; }
  // Looks at diagnostics for numbers that are no longer finite; call with each Diagnostics that comes in.
  void inspect(const Diagnostics& diagnostics);
  // Whether a good state from before the trouble is at hand, and how to go back to it.
  bool can_go_back() const { return last_good_.has_value(); }
  void go_back();

 private:
  std::unique_ptr<Simulation> make(const Setup& setup);
  // The same run again: with the chosen kernel, or, where the parameters have become such that it cannot run, with "auto" and
  // a note.
  std::unique_ptr<Simulation> make_again(const Setup& setup);
  void adopt(Setup setup, std::unique_ptr<Simulation> simulation);
  void happen(const Event& event);
  // What has gone well for this many steps under the same parameters has gone well for long: what the scene shows in five
  // seconds at its own pace.
  std::int64_t long_run() const;
  void keep_before_change();
  void keep_on_the_way(const Diagnostics& diagnostics);

  Backend& backend_;
  Setup setup_;
  std::string kernel_ = "auto";  // as chosen; a restart keeps it
  std::map<std::string, double> preset_parameters_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Event> scheduled_;
  std::size_t next_scheduled_ = 0;
  std::vector<Event> log_;
  std::string trouble_, note_;
  // Where "go back" leads, and for how many steps the run had gone well under that state's parameters. A state under the
  // parameters that led to trouble is none: the run is deterministic and would end there again.
  std::optional<State> last_good_;
  std::int64_t good_for_ = 0;
  bool good_is_before_a_change_ = false;
  std::optional<State> on_the_way_;  // may become good, if the run goes on well for long from there
  std::int64_t changed_at_ = 0;      // the step of the last change of a parameter, else the start
  std::chrono::steady_clock::time_point last_kept_;
};

}  // namespace perturb
