// A script that is opened in the window.
#pragma once

#include <string>

#include "app/session/session.h"

namespace perturb {

// Start and events of a script's run, as the command line would start it with --script. `now`: the start for a script
// that has none. Throws InputError.
ScriptRun read_script_run(const std::string& path, const Scene& now);

}  // namespace perturb
