// What the flow's source measured, measured again.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> lbm_studies();

// Registers and occupancy on the source's GPU and on later ones, and its equation 1; the most of it without a GPU.
StudyResult lbm_occupancy_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// A branch of a kernel: its time before the splitting, and its occupancy in a kernel of its own.
struct LbmBranch {
  double seconds = 0, occupancy = 1;
};
// Equation 1 of the source: how much faster the branches are in kernels of their own than in one with the occupancy
// `together`, where a time goes as one over the occupancy. `overhead`: of the launches, in seconds.
double lbm_split_speed_up(const std::vector<LbmBranch>& branches, double together, double overhead);

// Seconds a step of each kernel in each of `groups` groups of steps, in turns, so that a machine that grows slower does
// so for all of them: [kernel][group].
std::vector<std::vector<double>> lbm_times_in_turns(Backend& backend, const Setup& setup,
                                                    const std::vector<std::string>& kernels, int groups, int steps);

}  // namespace perturb
