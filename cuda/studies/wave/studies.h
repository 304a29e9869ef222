// The measurements of the wave's paper, repeated.
#pragma once

#include <string>
#include <vector>

#include "cuda/studies/study.h"

namespace perturb::wave {

std::vector<Study> wave_studies();

// The name of this machine's processor, also if the backend is a GPU.
std::string processor_of(const Backend& backend);

// The paper's three programs compared with this one, with colours and read-back at each step as there.
StudyResult programs_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// Time of each part of their steps, as in the paper's profiler output.
StudyResult profile_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// Its first convolution; kinds of memory, textures and blocks.
StudyResult convolution_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// Copies between device and host, in pageable and pinned memory. CUDA.
StudyResult transfers_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// Its advice for kernels, each followed and not.
StudyResult practices_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// Its programs with larger tanks.
StudyResult larger_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// The results of all kinds of convolution on this backend, for a test. `side` must be a multiple of 8.
std::vector<std::vector<float>> wave_convolutions(Backend& backend, int side, const std::vector<float>& field);

}  // namespace perturb::wave
