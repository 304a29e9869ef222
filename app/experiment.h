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
  // Takes `count` steps, with the scheduled events between them. On CUDA the steps are queued. Under a StopScope it may throw
  // Stopped between two of them, or between an event and its step; what is done is done, and it can go on from there.
  void advance(std::int64_t count);

  // Done between steps and added to the log. Throws InputError and leaves everything as it was.
  void perform(const Action& action);
  void perform(const Gesture& gesture);  // through Simulation::interpret
  // A live parameter changes the running simulation; one that needs a restart makes it anew from its setup.
  void set_parameter(const std::string& id, double value);

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
  void adopt(Setup setup, std::unique_ptr<Simulation> simulation);
  void happen(const Event& event);
  void keep_good_state();

  Backend& backend_;
  Setup setup_;
  std::map<std::string, double> preset_parameters_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Event> scheduled_;
  std::size_t next_scheduled_ = 0;
  std::vector<Event> log_;
  std::string trouble_;
  std::optional<State> last_good_;
  std::chrono::steady_clock::time_point last_kept_;
};

}  // namespace perturb
