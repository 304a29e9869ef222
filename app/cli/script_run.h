// A script that is opened in the window.
#pragma once

#include <string>

#include "app/session/session.h"

namespace perturb {

// How the run of a script begins, as the command line would begin it with --script, and its events. `now`: for a
// script that leaves the start to others. Throws InputError.
ScriptRun read_script_run(const std::string& path, const Scene& now);

}  // namespace perturb
