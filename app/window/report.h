// A lab report: a folder with a page, pictures, numbers, and the script that does the run again.
#pragma once

#include <string>

#include "app/session/session.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

// Writes a new folder named after the scene and the step; the session tells where it is, or what went wrong. `curves`
// is empty where there are none.
void write_report(Session& session, const Picture& picture, const Picture& curves);

// The page alone, for what stands beside it (tests read it).
std::string report_page(const Session& session, bool has_curves, const std::string& date);

}  // namespace perturb
