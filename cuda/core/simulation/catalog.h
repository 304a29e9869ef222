// All simulations of this build.
#pragma once

#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// In the order of the add_simulation lines of cuda/CMakeLists.txt.
const std::vector<const SimulationInfo*>& catalog();
// Throws InputError with the nearest name if there is none.
const SimulationInfo& find_simulation(const std::string& id);
// All datasets that a saved state of this simulation may contain: those that save() writes and load() reads. Null if
// there is no such simulation.
const std::vector<SavedField>* find_saved_fields(const std::string& id);

}  // namespace perturb
