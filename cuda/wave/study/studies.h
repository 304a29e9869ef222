// The measurements of the wave's paper, repeated.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb::wave {

std::vector<Study> wave_studies();

// The paper's three programs compared with this one, with colours and read-back at each step as there.
StudyResult programs_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// Time of each part of their steps, as in the paper's profiler output.
StudyResult profile_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

}  // namespace perturb::wave
