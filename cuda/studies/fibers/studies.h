// Studies of `perturb bench fibers` in addition to its kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/model/interaction.h"
#include "cuda/fibers/model/plan.h"
#include "cuda/fibers/parameters.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

namespace perturb::fibers {

// `profile`: a step by part. `calls`: the paper's tables 2.1 and 2.2. `runs`: its table B.1. `accuracy`: after its
// figures 5.5 and 5.6, and the error of one evaluation. `interaction`: its tables 6.1 to 6.3 and B.2. `patterns`: its
// figures 5.7 to 5.10. `sizes`: time of an evaluation against the number of fibers, with a matrix and without.
std::vector<Study> fibers_studies();

inline const char* id_of(Precision precision) { return precision == Precision::fp64 ? "fp64" : "fp32"; }
inline std::string format_fiber_count(int fibers) { return std::to_string(fibers) + " fibers"; }

// The part of a step that a loop's label belongs to: interaction, assembly, products, solve, or rest.
const char* part_of(const std::string& label);

// The paper's profiles, t = 0 to 6 by 0.1, by part, with counts of calls: its tables 2.1 and 2.2. `steps`: number of
// time steps.
StudyResult calls_study(Backend& backend, int steps, const StudyProgress& progress);

// The numbers of fibers of `profile` and `accuracy`: on a processor up to 300, unless all are requested (--long).
std::vector<int> fiber_sizes(bool cuda, const std::vector<int>& all);

// A step by part, for balls of the given numbers of fibers.
StudyResult profile_study(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress);

// Cost of single precision and of the kernels in digits: for one evaluation of these numbers of fibers, and in a long
// run, to the time `end`; the cause of its drift, to a quarter of that.
StudyResult accuracy_study(Backend& backend, const std::vector<int>& sizes, double end, const StudyProgress& progress);

// A kernel and its numbers.
struct Method {
  Kernel kernel;
  Precision precision;
  std::string text() const { return id_of(kernel) + ", " + id_of(precision); }
};
// "Its error grows in the long run" (figure 5.5): for single precision, from the drifts of several starts, after half
// of a time and after all of it.
Finding growing_drift(const std::string& half, const std::string& whole, const std::vector<double>& at_half,
                      const std::vector<double>& at_whole);
// Long runs of five fibers, to the time `end`: the paper's figures 5.5 and 5.6 in one plot. The published formulas in
// single precision are computed on `backend`, all else on a CPU thread, where five fibers are fastest.
void add_fiber_drift(Backend& backend, double end, const StudyProgress& progress, StudyResult& result);
// Cause of the drift of single precision, from several starts: the recursion, as the paper states, or rounding with any
// method.
void add_fiber_drift_causes(Backend& backend, double end, const StudyProgress& progress, StudyResult& result);

// Findings on the paper's statements, from drifts of the same starts in pairs until the time `end`: of the published
// formulas in single precision, of a start rounded to it, and of the kernels `stable` and `nodes` in single precision.
std::vector<Finding> drift_findings(const std::string& end, const std::vector<double>& single,
                                    const std::vector<double>& rounded_start, const std::vector<double>& stable,
                                    const std::vector<double>& nodes);

// "So many times faster regardless of the number of fibers": whether the ratio of the largest of these ratios, one for
// each number of fibers, to the smallest equals the paper's within 10 %.
Finding same_ratio(const std::vector<double>& ratios, int most);

// The paper's average of those ratios for its numbers of fibers up to `most`, which "16 times faster" rounds: within
// 0.5.
Finding average_ratio(const std::vector<double>& ratios, int most);
// "More than half of the kernel's time is hidden", if the paper states it for this number of fibers, else none: from
// repeats of the CPU's wait for the GPU if both work at once, and alternately.
std::optional<Finding> hidden_half(int fibers, const std::vector<double>& at_once, const std::vector<double>& in_turn);
// "The hidden portion increases with the number of fibers": from those repeats of the first number and of `fibers`.
struct WaitPair {
  std::vector<double> at_once, in_turn;
};
Finding growing_hidden_part(int fibers, const WaitPair& first, const WaitPair& last);
// Repeats of a run with the GPU and on the CPU alone, of one number of fibers.
struct RunPair {
  int fibers = 0;
  std::vector<double> with_gpu, alone;
};
// "All runs gain 30 % to 53 %": the smallest gain is at least the lower value, the largest at least the upper one.
std::vector<Finding> gain_findings(const std::vector<RunPair>& runs);
// "With an increasing number of fibers the total gain decreases."
Finding falling_gain(int fibers, const RunPair& first, const RunPair& last);

// A ball of fibers compared with the same ball of point forces: ring radius, fibers left behind, parting.
StudyResult points_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The paper's figure 6.1: whether a ball of fibers opens into a ring within the given number of steps of its run, from
// several starts. Without CUDA fewer fibers, unless the paper's number is requested (--long).
StudyResult ring_study(Backend& backend, int fibers, int starts, int steps, const StudyProgress& progress);
int ring_fibers(bool cuda, const Setup& scene);

// The paper's run for 100, 200 ... `most` fibers. On CUDA also the question of its table, with as many fibers as a
// processor has time for: is a run with the GPU shorter than one on the CPU alone? `max_run_fibers`: with CUDA all of
// the table; a processor takes minutes for these, and has 300, unless they are requested (--long, or --size 1000x1;
// --size also requests fewer). Throws InputError for a size below the table's smallest.
StudyResult runs_study(Backend& backend, int most, const StudyProgress& progress);
int max_run_fibers(bool cuda, const Setup& scene);
// The rows of a table of the paper above `most`, for the note of one here that does not have them.
std::string fiber_left_out(const char* place, int most);

// The interaction alone for 100, 200 ... `most` fibers, on the CPU and in the paper's form on the GPU, and the gain for
// a run: the paper's tables 6.1 to 6.3 and B.2, figures 6.2 and 6.3.
// `evaluations`: of the run; the paper's has `fiber_paper_run().steps() + 1`.
StudyResult interaction_study(Backend& backend, int most, int evaluations, const StudyProgress& progress);
// All of the table, or what a processor does in two minutes, or up to the user's --size.
int max_interaction_fibers(bool cuda, const Setup& scene);

// Patterns of memory access, good and bad: the paper's figures 5.7 to 5.10.
StudyResult patterns_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The paper's run (chapter 6), read from its numbers.
struct PaperRun {
  double time_step = 0, end = 0, radius = 0;
  int steps() const;
  // "t = 0 .. 40 in 80 steps of 0.5 (81 evaluations)"
  std::string text() const;
};
PaperRun fiber_paper_run();
// The paper's first profiles: tables 2.1 and 2.2. They state no radius: that of its later runs is used.
PaperRun paper_profile();

// The paper's cloud: a ball of one radius; larger numbers at the density of its largest.
double paper_ball_radius(int fibers);
std::unique_ptr<Simulation> cloud_of_paper(Backend& backend, int fibers, Precision precision, double time_step,
                                           std::uint32_t seed = 1);

// ---- point forces
//
// Cloud of point forces, as of particles much smaller than their distances: the model by which Nitsche & Batchelor, J.
// Fluid Mech. 340 (1997) 161-175, followed falling clouds. It is the limit of fibers much shorter than their distances,
// without the effect of directions: each falls at the mean speed of a fiber over all directions, and carries the others
// by the first term of its flow.

// Mean fall of lone fibers with random directions: (d + 2 + (d - 2)/3)/(2 d).
double mean_lone_fall(double d);

// Velocities of point forces of one fiber's weight at `position`, [points][3] each: -lone e_z and, of each of the
// others at r from it, -(e_z/|r| + z r/|r|³)/d.
std::vector<double> point_velocities(std::span<const double> position, double lone, double d);

// Moves points by the second-order Adams-Bashforth scheme, beginning with an Euler step.
class FallingPoints {
 public:
  FallingPoints(std::vector<double> position, double d);
  void step(double dt);
  const std::vector<double>& position() const { return position_; }
  const std::vector<double>& velocity() const { return velocity_; }  // there

 private:
  double d_;
  std::vector<double> position_, velocity_, before_;
};

}  // namespace perturb::fibers
