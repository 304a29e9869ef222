// How a run begins, and a simulation at work with all that has been chosen for it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/run/event.h"
#include "app/run/scene.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Everything that is needed to begin a run again.
struct Start {
  Scene scene;
  std::string kernel = "auto";
  std::shared_ptr<const State> state;  // the run goes on from here; null: from what the scene says
  std::string load, input;             // the files that it comes from, where it does, for a command line to name
  std::shared_ptr<const std::string> input_text{};  // what `input` said when it was read
  // The parameters that "reset all" restores: those that the run was opened with. Null: those of `scene`.
  std::shared_ptr<const std::map<std::string, double>> defaults{};
};

// A simulation, and the parameters and the kernel as somebody has chosen them (a sweep moves a parameter by itself).
struct Run {
  Scene scene;
  std::string kernel = "auto";
  std::unique_ptr<Simulation> simulation;

  // Throws InputError for what is wrong in `start`. `warning` not null: a kernel that cannot run there gives way to
  // "auto", and that is said.
  static Run begin(Backend& backend, const Start& start, std::string* warning = nullptr);
  // Throws InputError unless the event is one that this simulation knows: for one that is to happen later. What happens
  // now is checked by apply().
  void check(const Event& event) const;
  // Does it now. Throws InputError when it is not possible, and leaves everything as it was.
  void apply(const Event& event);
  // Takes the steps up to `step`.
  void step_to(std::int64_t step);
};

// The values of all parameters, by id.
std::map<std::string, double> values_of(Simulation& simulation);

}  // namespace perturb
