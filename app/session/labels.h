// Sentences of the simulations name parameters by their ids, as files and the command line do; the window names them by
// the labels that stand beside its sliders. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/value_info.h"

namespace perturb {

// In the language chosen: "time_step" becomes “Time step”; an id in brackets behind its own words, "the time step
// (time_step)", goes.
std::string with_labels(const std::string& text, const std::vector<Parameter>& parameters);
std::string with_labels(const std::string& text, const ValueInfo& value);

}  // namespace perturb
