// Length units of a domain.
#pragma once

#include <string>

#include "cuda/core/simulation/simulation.h"

namespace perturb {

// The length unit: that of a brush radius (Tool::brush), or "length" if no tool has a brush.
std::string length_unit_of(const SimulationInfo& info);

}  // namespace perturb
