// The tables of the simulations as JSON, in the format of docs/json.md: for `perturb list --json` and the web page.
#pragma once

#include <nlohmann/json.hpp>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Table of one simulation: its presets, parameters, actions, tools, quantities, kernels and lessons.
nlohmann::ordered_json json_of_simulation(const SimulationInfo& info);

// A value as in files and on the command line: a number, true or false, or a choice's id; null if the value is
// required.
nlohmann::ordered_json json_of_value(const ValueInfo& info, double value);

}  // namespace perturb
