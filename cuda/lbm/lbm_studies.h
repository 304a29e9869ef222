// What the flow's source measured, measured again.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> lbm_studies();

// Seconds a step of each kernel in each of `groups` groups of steps, in turns, so that a machine that grows slower does
// so for all of them: [kernel][group].
std::vector<std::vector<double>> lbm_times_in_turns(Backend& backend, const Setup& setup,
                                                    const std::vector<std::string>& kernels, int groups, int steps);

}  // namespace perturb
