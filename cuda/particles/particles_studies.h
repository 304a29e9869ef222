// The source's sweeps, how time grows with the number of discs, and how rounding makes paths part.
#pragma once

#include <memory>
#include <vector>

#include "cuda/core/simulation.h"
#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> particles_studies();

// The source's sweeps, for its numbers of discs up to `most`.
StudyResult particles_sweeps_study(Backend& backend, int most, const StudyProgress& progress);

// What its figures show of the inside of a step, for its numbers of discs up to `most`.
StudyResult particles_figures_study(Backend& backend, int most, const StudyProgress& progress);

// The collisions that straight paths would bring in the step after this state of equal discs, FP64: of two discs, and
// of a disc with a wall.
struct DiscCandidates {
  double pairs = 0, walls = 0;
};
DiscCandidates particles_candidates(Backend& backend, const Setup& setup, const State& state);

// The source's rule beside the exact one.
StudyResult particles_rules_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

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

}  // namespace perturb
