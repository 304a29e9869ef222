// A study's plots as a picture.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// All plots below each other, drawn as the panels draw theirs, with a text size for print. Throws Error where nothing
// can be drawn (no OpenGL).
Picture study_image(const std::vector<StudyPlot>& plots);

}  // namespace perturb
