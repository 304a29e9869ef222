// Lab reports: a page (app/lessons/lab_report.h) and its files.
#pragma once

#include <string>

#include "app/session/session.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// Writes a new folder named after the scene and the step: the page, the image, numbers, curves, and the script that
// reproduces the run. The session shows where it is, or the error.
void write_report(Session& session, const Picture& picture);
// Writes the page as this file, and the image next to it: "report.html", "report.png". Throws Error.
void write_report_page(const Session& session, const Picture& picture, const std::string& path);

// The page alone, which refers to this image, and to these files next to it (tests read it).
std::string report_page(const Session& session, const std::string& date, const std::string& picture = "picture.png",
                        const std::vector<std::string>& files = {});

}  // namespace perturb
