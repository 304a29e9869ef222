// The studies of every simulation: measurements of `perturb bench` beyond one row per kernel. They form a separate
// library, perturb_studies, so that changing a study rebuilds no simulation.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb {

// Empty if the simulation has none.
std::vector<Study> studies_of(const std::string& simulation);

}  // namespace perturb
