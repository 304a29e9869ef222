// Declarations shared by the files of this folder, and the functions that the registration line names.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/state.h"

namespace perturb::heat {

const SimulationInfo& heat_simulation();
const std::vector<SavedField>& heat_saved_fields();

// The only place for defaults.
struct Parameters {
  double diffusivity = 1;  // D, length²/time
  double time_step = 0.2;  // dt, time; cells are one length unit wide
};

// Required by SimulationInfo.
std::unique_ptr<Simulation> create(Backend& backend, const Setup& setup);
std::size_t memory_needed(const Backend& backend, const Setup& setup);
std::vector<TheoryCheck> verify(Backend& backend, bool with_long);

}  // namespace perturb::heat
