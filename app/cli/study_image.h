// An image of a study's plots.
#pragma once

#include <vector>

#include "cuda/core/bench/study.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// All plots, one below the other, drawn like the plots of the panels with a text size for print. Throws Error if
// nothing can be drawn (no OpenGL).
Picture study_image(const std::vector<StudyPlot>& plots);

}  // namespace perturb
