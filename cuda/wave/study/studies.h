// What the wave's source measured, measured again.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb::wave {

std::vector<Study> wave_studies();

// The source's three programs beside this one, coloured and read back at each step as there; those of a GPU with one.
StudyResult programs_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// What a step of each of them spends its time on, as the source's profiler showed it.
StudyResult profile_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

}  // namespace perturb::wave
