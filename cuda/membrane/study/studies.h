// What `perturb bench membrane` can tell beyond its kernels.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb::membrane {

std::vector<Study> membrane_studies();

// The source's tables 4.2 to 4.8 up to a level (5 to 10), its numbers beside ours. `all`: those rows too that take a
// processor minutes.
enum class TableRows { quick, all };
StudyResult tables_study(Backend& backend, int highest_level, const StudyProgress& progress,
                         TableRows rows = TableRows::quick);
// The source's way to assemble, part by part, up to a level (at least 5) and a degree.
StudyResult cells_study(Backend& backend, int highest_level, int most_degree, const StudyProgress& progress);
// The error against the unknowns, refined by its estimate (study/convergence.cpp).
StudyResult convergence_study(Backend& backend, const Setup& scene, const StudyProgress& progress);
// The list of modes, computed and by theory (study/modes.cpp).
StudyResult modes_study(Backend& backend, const Setup& scene, const StudyProgress& progress);

}  // namespace perturb::membrane
