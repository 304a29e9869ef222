// The source's sweeps, how time grows with the number of discs, and how rounding makes paths part.
#pragma once

#include <vector>

#include "cuda/core/study.h"

namespace perturb {

std::vector<Study> particles_studies();

// The source's rule beside the exact one.
StudyResult particles_rules_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The best of a few measurements, after first steps that take memory.
class Simulation;
double seconds_per_step(Simulation& run);

}  // namespace perturb
