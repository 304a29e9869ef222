// The source's sweeps, how time grows with the number of discs, and how rounding makes paths part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/core/bench/study.h"
#include "cuda/core/bench/verdict.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb::particles {

std::vector<Study> particles_studies();

// The source's sweeps, for its numbers of discs up to `most`.
StudyResult sweeps_study(Backend& backend, int most, const StudyProgress& progress);

// What its figures show of the inside of a step, for its numbers of discs up to `most`.
StudyResult figures_study(Backend& backend, int most, const StudyProgress& progress);

// The first step at which no disc is alike, of variants and backends that begin alike: its figure 7.
StudyResult divergence_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// What a claim has to say where some of its steps of full divergence lie beyond the `most` that were taken: how many,
// and what they count as; else nothing.
std::string never_diverged(const std::vector<double>& steps, int most);

// Of a gain that the source tells by its ends, "2 to 3 times": it is at least the one, and at most the other.
void add_gain_findings(std::vector<Finding>& findings, const std::string& what, const std::string& of,
                       const char* place, const std::vector<double>& quick, const std::vector<double>& slow);

// "Time grows as N squared" as two findings, from repeats of a time with N discs and with half as many: it grows by
// more than 2 to the 3/2, and by less than 2 to the 5/2.
void add_square_findings(std::vector<Finding>& findings, const std::string& what, const char* place,
                         const std::vector<double>& half, const std::vector<double>& whole);

// The source's figure 19: a step of all pairs, and its loops over discs, against the threads of these loops' blocks, in
// groups of so many steps; and whether that matters less than the blocks of the loop over pairs (its figure 20). CUDA,
// else all of them are alike.
StudyTable disc_blocks(Backend& backend, int count, int steps, StudyPlot& plot, std::vector<Finding>& findings);
// The block that the source kept to in figure 19 ("C2") and in figure 20 ("C1").
int particles_paper_block(const char* figure, const char* kernels);

// The N at which the second of two times against N, the shorter one at first, becomes the longer: from straight lines
// between the logarithms of the points on either side. 0: before the first; infinite: after the last.
double crossing(const std::vector<CurvePoint>& longer_first, const std::vector<CurvePoint>& longer_later);

// The collisions that straight paths would bring in the step after this state of equal discs, FP64: of two discs, and
// of a disc with a wall.
struct DiscCandidates {
  double pairs = 0, walls = 0;
};
DiscCandidates particles_candidates(Backend& backend, const Setup& setup, const State& state);

// The source's rule beside the exact one.
StudyResult rules_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// What a setup says of a parameter, else its default.
double disc_parameter(const Setup& setup, const char* id);

struct DiscVariant {
  const char* label;
  const char* kernel;
  bool single, contraction;
};
// A gas with the source's numbers (the parameters' defaults) in a variant, from a start of our own.
Setup report_setup(int count, const DiscVariant& variant);
std::unique_ptr<Simulation> make_discs(Backend& backend, const Setup& setup, const char* kernel);

// The best of a few measurements, after first steps that take memory.
double seconds_per_step(Simulation& run);

}  // namespace perturb::particles
