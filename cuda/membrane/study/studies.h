// The studies of `perturb bench membrane` in addition to its kernels.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb::membrane {

std::vector<Study> membrane_studies();

// The paper's tables 4.2 to 4.8 up to a level (5 to 10), with its numbers next to the measured ones. `all`: includes
// the rows that take a CPU minutes.
enum class TableRows { quick, all };
StudyResult tables_study(Backend& backend, int highest_level, const StudyProgress& progress,
                         TableRows rows = TableRows::quick);
// The paper's assembly, part by part, up to a level (at least 5) and a degree.
StudyResult cells_study(Backend& backend, int highest_level, int most_degree, const StudyProgress& progress);
// The error against the unknowns, with refinement by the estimate (study/convergence.cpp).
StudyResult convergence_study(Backend& backend, const Setup& scene, const StudyProgress& progress);
// The list of modes, computed and from theory (study/modes.cpp).
StudyResult modes_study(Backend& backend, const Setup& scene, const StudyProgress& progress);

}  // namespace perturb::membrane
