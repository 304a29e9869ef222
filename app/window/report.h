// Lab reports: a folder with a page, images, numbers, and the script that reproduces the run.
#pragma once

#include <string>

#include "app/session/session.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// Writes a new folder named after the scene and the step; the session shows where it is, or the error. `curves` is
// empty if there are none.
void write_report(Session& session, const Picture& picture, const Picture& curves);

// The page alone, which refers to files in the same folder (tests read it).
std::string report_page(const Session& session, bool has_curves, const std::string& date);

}  // namespace perturb
