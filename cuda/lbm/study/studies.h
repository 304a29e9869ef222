// The measurements of the flow's paper, repeated.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/bench/paper.h"
#include "cuda/core/bench/study.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"

namespace perturb::lbm {

std::vector<Study> lbm_studies();

// The flow has converged when the root mean square of its velocity changes by at most this fraction of
// itself in the given number of steps. Result -1: not within a million steps. An assumption about the paper's figure 8.
constexpr double convergence_change = 1e-5;  // at a tenth of this, FP32 rounding would end the change
constexpr int convergence_interval = 100;
std::int64_t steps_to_converge(Simulation& flow);
// The paper's flow as far as it is stated: D2Q9 with one relaxation time, solid cells that reverse what arrives, and
// walls at rows of the grid: a square channel, periodic along the stream, in motion from the start. A wall at its
// bottom takes the given percentage of its width. No force: the paper's equation 2 has none. `paper_flow_text`: the
// same in words.
Setup paper_flow(int side, int solid_percent);
const char* paper_flow_text();
// The same initially at rest and driven by a force.
Setup convergence_setup(int side, int solid_percent);
// Time to convergence in square channels of `sides` cells, against the fraction that is solid. Without CUDA the
// larger of the paper's sizes takes minutes: it is omitted, with a message, unless the scene has it (--size 256x256).
StudyResult convergence_study(Backend& backend, const std::vector<int>& sides, const StudyProgress& progress);
std::vector<int> lbm_convergence_sides(bool cuda, const Setup& scene);
// Speed-up of the paper's split at "128 x 128", else NaN; and an empty line for the single mark of an unsplit time here
// divided by it. The paper has one number per size, and draws its times without it.
double paper_gain(const std::string& size);
// The verdict on the paper's gain at a size: gains of pairs of groups, in percent, against the printed number, to half
// of its last digit.
Finding split_gain(const std::string& size, const std::vector<double>& unsplit, const std::vector<double>& split);
StudyLine paper_gain_line(const std::string& size);

// Registers and occupancy on the paper's GPU and on later ones, and its equation 1; most of it needs no GPU.
StudyResult occupancy_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The paper's figures 1 and 2 as kernels that run, the worst case of branches within a warp, and its conditions for a
// kernel worth splitting (study/splitting.cpp).
StudyResult splitting_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// The results of these kernels on this backend, for tests.
enum class BranchKind;
std::vector<float> lbm_branches(Backend& backend, BranchKind kind, bool split, int threads);
std::vector<float> lbm_sums(Backend& backend, bool split, int threads);

// The paper's figure 6: seconds per step of the boundary kernel with one loop and with two, in alternating groups of
// steps. CUDA.
struct LoopTimes {
  std::vector<double> one, two;
};
LoopTimes loop_times(Backend& backend, const Setup& setup, int groups, int steps);
// Statements of figures 4 to 7 and their text on registers and occupancy, tested on our parts.
std::vector<Finding> shape_findings(const std::vector<PartShape>& parts);

// A branch of a kernel: its time before the split, and its occupancy in a kernel of its own.
struct Branch {
  double seconds = 0, occupancy = 1;
};
// The paper's equation 1: speed-up of the branches in separate kernels over one kernel with the occupancy
// `together`, if time is inversely proportional to occupancy. `overhead`: of the launches, in seconds.
double split_speed_up(const std::vector<Branch>& branches, double together, double overhead);

// Equation 1 compared with measurements, group by group: from seconds per step of the branching kernel and of its
// branches in separate kernels, and their occupancies; and whether the two agree to a tenth.
struct Prediction {
  std::vector<double> predicted, measured;
  Finding finding;
};
Prediction prediction(const std::vector<double>& together, const std::vector<double>& of_if,
                      const std::vector<double>& of_else, double share_together, double share_if, double share_else,
                      const std::string& size);

// Seconds per step of each kernel in each of `groups` groups of steps: [kernel][group]. Kernels alternate, so that a
// machine that becomes slower affects all of them.
std::vector<std::vector<double>> times_in_turns(Backend& backend, const Setup& setup,
                                                const std::vector<std::string>& kernels, int groups, int steps);

}  // namespace perturb::lbm
