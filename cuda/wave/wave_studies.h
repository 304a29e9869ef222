// What the wave's source measured, measured again.
#pragma once

#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> wave_studies();

}  // namespace perturb
