// The source's sweeps, how time grows with the number of discs, and how rounding makes paths part.
#pragma once

#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> particles_studies();

}  // namespace perturb
