// What the flow's source measured, measured again.
#pragma once

#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> lbm_studies();

}  // namespace perturb
