// Every simulation this program was built with.
#pragma once

#include <vector>

#include "cuda/core/simulation.h"

namespace perturb {

// In the order of the add_simulation lines of cuda/CMakeLists.txt.
const std::vector<const SimulationInfo*>& catalog();
// Throws InputError with the nearest name when there is none.
const SimulationInfo& find_simulation(const std::string& id);

}  // namespace perturb
