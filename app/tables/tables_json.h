// The simulations' tables as JSON, in the words of docs/json.md: for `perturb list --json` and for a page in a browser.
#pragma once

#include <nlohmann/json.hpp>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Of one simulation: its presets, parameters, actions, tools, quantities, kernels and lessons.
nlohmann::ordered_json json_of_simulation(const SimulationInfo& info);

// A value as files and the command line write it: a number, true or false, a choice's id; null where it must be given.
nlohmann::ordered_json json_of_value(const ValueInfo& info, double value);

}  // namespace perturb
