// What the flow's source measured, measured again.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/bench/study.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"

namespace perturb::lbm {

std::vector<Study> lbm_studies();

// Steps until the flow has converged: until the root mean square of its velocity changes by no more than this share of
// itself in so many steps. -1: not within a million. A guess at what the source's figure 8 means.
constexpr double convergence_change = 1e-5;  // ten times less, and rounding in FP32 would end it
constexpr int convergence_interval = 100;
std::int64_t steps_to_converge(Simulation& flow);
// A channel that a force drives, at rest; so many percent of its width are a wall at its bottom.
Setup convergence_setup(int side, int solid_percent);
// The time that takes in square channels of `sides` cells, against the share of them that is solid. Without CUDA the
// larger of the source's sizes takes minutes: it is left out, and named, unless the scene has it (--size 256x256).
StudyResult convergence_study(Backend& backend, const std::vector<int>& sides, const StudyProgress& progress);
std::vector<int> lbm_convergence_sides(bool cuda, const Setup& scene);
// How many times as quick the source's split is at "128 x 128", else NaN; and a line, still empty, for the one mark of
// what that would make of an unsplit time here: the source has one number for a size, and draws its times without.
double paper_gain(const std::string& size);
StudyLine paper_gain_line(const std::string& size);

// Registers and occupancy on the source's GPU and on later ones, and its equation 1; the most of it without a GPU.
StudyResult occupancy_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The source's figure 6: seconds a step of the boundary's kernel with one loop and with two, in groups of steps that
// are taken in turns. CUDA.
struct LoopTimes {
  std::vector<double> one, two;
};
LoopTimes loop_times(Backend& backend, const Setup& setup, int groups, int steps);
// What figures 4 to 7 and the text beside them say of registers and occupancy, asked of our parts.
std::vector<Finding> shape_findings(const std::vector<PartShape>& parts);

// A branch of a kernel: its time before the splitting, and its occupancy in a kernel of its own.
struct Branch {
  double seconds = 0, occupancy = 1;
};
// Equation 1 of the source: how much faster the branches are in kernels of their own than in one with the occupancy
// `together`, where a time goes as one over the occupancy. `overhead`: of the launches, in seconds.
double split_speed_up(const std::vector<Branch>& branches, double together, double overhead);

// Equation 1 beside what was measured, group by group: from seconds a step of the kernel that branches and of its
// branches in kernels of their own, and their occupancies; and whether one is the other to a tenth.
struct Prediction {
  std::vector<double> predicted, measured;
  Finding finding;
};
Prediction prediction(const std::vector<double>& together, const std::vector<double>& of_if,
                      const std::vector<double>& of_else, double share_together, double share_if, double share_else,
                      const std::string& size);

// Seconds a step of each kernel in each of `groups` groups of steps, in turns, so that a machine that grows slower does
// so for all of them: [kernel][group].
std::vector<std::vector<double>> times_in_turns(Backend& backend, const Setup& setup,
                                                const std::vector<std::string>& kernels, int groups, int steps);

}  // namespace perturb::lbm
