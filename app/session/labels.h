// Replaces parameter ids in messages of the simulations by the labels of the sliders. Files and the command line use
// the ids. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/parameters.h"

namespace perturb {

// In the selected language: "time_step" becomes “Time step”. An id in brackets after its own label is removed: "the
// time step (time_step)".
std::string with_labels(const std::string& text, const std::vector<Parameter>& parameters);
std::string with_labels(const std::string& text, const ValueInfo& value);

}  // namespace perturb
