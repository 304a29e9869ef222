// Common functions for the start of a run and for changes of its parameters.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

struct GridSize {
  int width, height;  // cells
};
// "512 x 256 cells"
std::string format_size(GridSize size);

// The setup's size; zeros are replaced from `otherwise`. Throws InputError, which begins with `what` ("A tank"), unless
// each side has from `least` to `largest` cells.
GridSize grid_size_of(const Setup& setup, GridSize otherwise, int least, int largest, const std::string& what);

// The defaults, changed by the setup's values. Throws InputError for an unknown name or a value out of range.
template <class Parameters>
Parameters parameters_from(const Setup& setup, std::span<const Parameter> table) {
  Parameters parameters;
  ParameterSet set(table, &parameters);
  for (const auto& [id, value] : setup.parameters) set.set(id, value);
  return parameters;
}

// `now` with one value changed. Throws InputError as above, and for a change that needs a restart; `running` ("the tank
// runs: start it anew") ends the message.
template <class Parameters>
Parameters with_parameter(std::span<const Parameter> table, const Parameters& now, const std::string& id, double value,
                          const std::string& running) {
  Parameters changed = now;
  ParameterSet set(table, &changed);
  const Parameter& parameter = set.find(id);
  set.set(id, value);
  if (parameter.apply == Apply::restart && parameter.get(&changed) != parameter.get(&now))
    throw InputError(id + " cannot change while " + running + ".");
  return changed;
}

// Throws InputError unless the backend has this many bytes free. The message gives the need (`what_needs`, "A tank of
// 512 x 512 cells needs"), the free memory, and the remedy ("Choose a smaller size.").
void require_memory(const Backend& backend, std::size_t bytes, const std::string& what_needs,
                    const std::string& remedy);

// Throws InputError unless the state belongs to this simulation and has a valid number of steps and time.
void require_state_of(const State& state, const std::string& simulation);

}  // namespace perturb
