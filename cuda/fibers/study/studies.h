// What `perturb bench fibers` can tell beyond its kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda/core/bench/study.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/fibers/kernels/interaction.h"
#include "cuda/fibers/kernels/plan.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

// `profile`: a step by part. `calls`: the source's tables 2.1 and 2.2. `runs`: its table B.1. `accuracy`: after its
// figures 5.5 and 5.6, and the error of one evaluation. `interaction`: its tables 6.1 to 6.3 and B.2. `patterns`: its
// figures 5.7 to 5.10. `sizes`: an evaluation's time against the number of fibers,
// with a matrix and without.
std::vector<Study> fibers_studies();

inline const char* fiber_word(FiberPrecision precision) { return precision == FiberPrecision::fp64 ? "fp64" : "fp32"; }
inline std::string format_fiber_count(int fibers) { return std::to_string(fibers) + " fibers"; }

// The part of a step that a loop's label belongs to: interaction, assembly, products, solve, or rest.
const char* fiber_part_of(const std::string& label);

// The source's profiles, t = 0 to 6 by 0.1, by part, with counts of calls: its tables 2.1 and 2.2.
// `steps`: so many of its time step.
StudyResult calls_study(Backend& backend, int steps, const StudyProgress& progress);

// A step by part, of balls of so many fibers.
StudyResult profile_study(Backend& backend, const std::vector<int>& sizes, const StudyProgress& progress);

// What single precision and the kernels cost in digits: of one evaluation of so many fibers, and in the long run, to
// the time `end`; what makes it drift, to a quarter of that.
StudyResult accuracy_study(Backend& backend, const std::vector<int>& sizes, double end, const StudyProgress& progress);

// A kernel and its numbers.
struct Method {
  FiberKernel kernel;
  FiberPrecision precision;
  std::string text() const { return fiber_word(kernel) + ", " + fiber_word(precision); }
};
// "Its error grows in the long run" (figure 5.5): of single precision, from the drifts of several starts, after half of
// a time and after all of it.
Finding fiber_growing_drift(const std::string& half, const std::string& whole, const std::vector<double>& at_half,
                            const std::vector<double>& at_whole);
// Its long runs of five fibers, to the time `end`: the source's figures 5.5 and 5.6 in one plot. The published formulas
// in single precision are computed on `backend`, all else on a thread of the CPU, where five fibers are quickest.
void add_fiber_drift(Backend& backend, double end, const StudyProgress& progress, StudyResult& result);
// What makes single precision drift, from several starts: the recursion, as the source says, or rounding whatever it is
// computed with.
void add_fiber_drift_causes(Backend& backend, double end, const StudyProgress& progress, StudyResult& result);

// What the source says of that, asked of drifts from the same starts in pairs: of the published formulas in single
// precision, of a start rounded to it, and of the kernels `stable` and `nodes` in single precision.
std::vector<Finding> fiber_drift_findings(const std::vector<double>& single, const std::vector<double>& rounded_start,
                                          const std::vector<double>& stable, const std::vector<double>& nodes);

// "So many times faster regardless of the number of fibers": whether the largest of these ratios, one for each number
// of fibers, is as far over the smallest as in the source, to a tenth.
Finding fiber_same_ratio(const std::vector<double>& ratios, int most);

// Its average of those ratios for all of its numbers of fibers, which "16 times faster" rounds: to a half.
Finding fiber_average_ratio(const std::vector<double>& ratios, int most);
// "More than half of the kernel's time is hidden", where the source says so of that many fibers, else none: from
// repeats of what the CPU waits for the GPU where both work at once, and in turn.
std::optional<Finding> fiber_hidden_half(int fibers, const std::vector<double>& at_once,
                                         const std::vector<double>& in_turn);
// Repeats of a run with the GPU and on the CPU alone, of one number of fibers.
struct RunPair {
  int fibers = 0;
  std::vector<double> with_gpu, alone;
};
// "All runs gain 30 % to 53 %": the one that gains least has the one at least, the one that gains most has the other at
// most.
std::vector<Finding> fiber_gain_findings(const std::vector<RunPair>& runs);

// A ball of fibers beside the same ball of point forces: ring radius, what is left behind, parting.
StudyResult points_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The source's figure 6.1: whether a ball of fibers opens into a ring within so many steps of its run, from several
// starts. Without CUDA of fewer fibers, unless all of the runs below are asked for.
StudyResult ring_study(Backend& backend, int fibers, int starts, int steps, const StudyProgress& progress);
int fiber_ring_fibers(bool cuda, const Setup& scene);

// The source's run for 100, 200 ... `most` fibers. On CUDA also its table's question, asked of as many fibers as a
// processor has time for: is a run with the GPU shorter than one on the CPU alone? `fiber_runs_most`: with CUDA all of
// its table's; a processor takes minutes for these, and has 300, unless the scene has as many as the table
// (--size 1000x1).
StudyResult runs_study(Backend& backend, int most, const StudyProgress& progress);
int fiber_runs_most(bool cuda, const Setup& scene);

// The interaction alone for 100, 200 ... `most` fibers, on the CPU and in the source's form on the GPU, and what a run
// gains by it: the source's tables 6.1 to 6.3 and B.2, figures 6.2 and 6.3.
StudyResult interaction_study(Backend& backend, int most, const StudyProgress& progress);

// Patterns of access to memory, good and bad: the source's figures 5.7 to 5.10.
StudyResult patterns_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The source's run (its chapter 6), read from its numbers.
struct PaperRun {
  double time_step = 0, end = 0, radius = 0;
  int steps() const;
  // "t = 0 .. 40 in 80 steps of 0.5 (81 evaluations)"
  std::string text() const;
};
PaperRun fiber_paper_run();
// Its first profiles: tables 2.1 and 2.2. They tell no radius: that of its later runs is taken.
PaperRun fiber_paper_profile();

// The source's cloud: a ball of one radius; larger numbers at the density of its largest.
double paper_ball_radius(int fibers);
std::unique_ptr<Simulation> cloud_of_paper(Backend& backend, int fibers, FiberPrecision precision, double time_step,
                                           std::uint32_t seed = 1);

}  // namespace perturb::fibers
