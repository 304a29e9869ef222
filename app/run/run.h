// The start of a run, and a simulation with all choices made for it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/run/event.h"
#include "app/run/scene.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Everything needed to start a run again.
struct Start {
  Scene scene;
  std::string kernel = "auto";
  std::shared_ptr<const State> state;               // the run resumes from here; null: from the scene's initial state
  std::string load, input;                          // files that the state comes from, if any, for the command line
  std::shared_ptr<const std::string> input_text{};  // contents of `input` when it was read
  // The parameters that "Reset all" restores: those with which the run was opened. Null: those of `scene`.
  std::shared_ptr<const std::map<std::string, double>> defaults{};
};

// A simulation, with the parameters and the kernel as chosen by the user (a sweep changes a parameter by itself).
struct Run {
  Scene scene;
  std::string kernel = "auto";
  std::unique_ptr<Simulation> simulation;

  // Throws InputError if `start` is invalid. If `warning` is not null, a kernel that cannot run here is replaced by
  // "auto", and the warning says so.
  static Run begin(Backend& backend, const Start& start, std::string* warning = nullptr);
  // Throws InputError if this simulation does not have the event's ids. For events that are scheduled for later;
  // apply() checks the others.
  void check(const Event& event) const;
  // Applies the event now. Throws InputError if it is not possible, and leaves everything unchanged.
  void apply(const Event& event);
  // Takes the steps up to `step`.
  void step_to(std::int64_t step);
};

// The values of all parameters, by id.
std::map<std::string, double> values_of(Simulation& simulation);

}  // namespace perturb
