// The measurements of the flow's paper, repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/kernels.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

namespace perturb::lbm {

std::vector<Study> lbm_studies();

// The flow has converged when the root mean square of its velocity changes by at most this fraction of
// itself in the given number of steps. Result -1: not within a million steps. An assumption about the paper's figure 8.
constexpr double convergence_change = 1e-5;  // at a tenth of this, FP32 rounding would end the change
constexpr int convergence_interval = 100;
std::int64_t steps_to_converge(Simulation& flow);
// The paper's flow as far as it is stated: D2Q9 with one relaxation time, and two kinds of cells, fluid and solid, of
// which the solid ones reverse what arrives. The rest is ours: a square channel between two walls of solid cells,
// periodic along the stream, in motion from the start. No force: the paper's equation 2 has none. `paper_flow_text`:
// the same as text.
//
// The paper states neither the share of its solid cells nor where they are, only that they make threads of the same
// warp diverge. Rows of solid cells do not: a warp's cells are in one row. So there are two layouts. `solid_percent`
// of the rows are solid: the top one and the others at the bottom, at least one. With `one_in` > 0 also one cell in
// this many of each other row, so that with 32 or fewer each warp has cells of both kinds.
Setup paper_flow(int side, int solid_percent, int one_in = 0);
const char* paper_flow_text();
// Its solid cells by rows, 1: solid; and their percentage.
std::vector<std::uint8_t> paper_walls(int side, int solid_percent, int one_in = 0);
double percent_of(const std::vector<std::uint8_t>& walls);
// The same without single cells, initially at rest and driven by a force.
Setup convergence_setup(int side, int solid_percent);
// Time to convergence in square channels of `sides` cells, against the fraction that is solid. Without CUDA the
// larger of the paper's sizes takes minutes: it is omitted, with a message, unless the scene has it (--size 256x256).
StudyResult convergence_study(Backend& backend, const std::vector<int>& sides, const StudyProgress& progress);
std::vector<int> lbm_convergence_sides(bool cuda, const Setup& scene);
// Speed-up of the paper's split at "128 x 128", else NaN; and an empty line for the single mark of an unsplit time here
// divided by it. The paper has one number per size, and draws its times without numbers.
double paper_gain(const std::string& size);
// The verdict on the paper's gain at a size: gains of pairs of groups, in percent, against the printed number, to half
// of its last digit.
Finding split_gain(const std::string& size, const std::vector<double>& unsplit, const std::vector<double>& split);
StudyLine paper_gain_line(const std::string& size);

// Registers and occupancy on the paper's GPU and on later ones, and its equation 1; most of it needs no GPU.
StudyResult occupancy_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The paper's figures 1 and 2 as kernels that run, the worst case of branches within a warp, and its conditions for a
// kernel worth splitting (splitting.cpp).
StudyResult splitting_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// The results of these kernels on this backend, for tests.
enum class BranchKind;
std::vector<float> lbm_branches(Backend& backend, BranchKind kind, bool split, int threads);
std::vector<float> lbm_sums(Backend& backend, bool split, bool many_sums, int threads);

// Statements of figures 4 to 7 and their text on registers and occupancy, tested on our parts.
std::vector<Finding> shape_findings(const std::vector<PartShape>& parts);

// A branch of a kernel: its time before the split, and its occupancy in a kernel of its own.
struct Branch {
  double seconds = 0, occupancy = 1;
};
// The paper's equation 1: speed-up of the branches in separate kernels over one kernel with the occupancy
// `together`, if time is inversely proportional to occupancy. `overhead`: of the launches, in seconds.
double split_speed_up(const std::vector<Branch>& branches, double together, double overhead);

// Equation 1 compared with measurements, group by group: from seconds of the branching kernel and of its branches in
// separate kernels, and their occupancies.
struct Prediction {
  std::vector<double> predicted, measured;
};
Prediction prediction(const std::vector<double>& together, const std::vector<double>& of_if,
                      const std::vector<double>& of_else, double share_together, double share_if, double share_else);
// Whether the measured speed-ups of the split are the predicted ones, to a tenth.
Finding equation_finding(const std::vector<double>& measured, const std::vector<double>& predicted);
// The claim that a split gains, and in `more` more than in `less`: speed-ups of the split, turn by turn. A split that
// loses less than another does not gain.
Finding gain_finding(std::string claim, std::string place, std::vector<double> less, const std::vector<double>& more);
// Queues a kernel that does nothing: its time in a row of launches is that of a launch.
void launch_nothing(Backend& backend);

// Seconds per step of each kernel in each of `groups` groups of steps: [kernel][group]. Kernels alternate, so that a
// machine that becomes slower affects all of them.
std::vector<std::vector<double>> times_in_turns(Backend& backend, const Setup& setup,
                                                const std::vector<std::string>& kernels, int groups, int steps);

}  // namespace perturb::lbm
