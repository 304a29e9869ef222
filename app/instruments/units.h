// The units that a domain is measured in.
#pragma once

#include <string>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Of lengths in the domain: that of a brush's radius, which is one (Tool::brush); "length" where no tool has one.
std::string length_unit_of(const SimulationInfo& info);

}  // namespace perturb
