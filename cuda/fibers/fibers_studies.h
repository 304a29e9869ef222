// What `perturb bench fibers` can tell beyond its kernels.
#pragma once

#include <vector>

#include "cuda/core/study.h"

namespace perturb {

// `profile`: a step by part. `runs`: the source's table B.1. `accuracy`: its figures 5.5 and 5.6, and the error of one
// evaluation. `sizes`: an evaluation's time against the number of fibers, with a matrix and without.
std::vector<Study> fiber_studies();

}  // namespace perturb
