// The studies of every simulation: what `perturb bench` can measure beyond a row for each kernel. A library of their
// own, perturb_studies, so that a change of a study rebuilds no simulation.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb {

// Empty where the simulation has none.
std::vector<Study> studies_of(const std::string& simulation);

}  // namespace perturb
