// The start of the window: the window and scene of the last session, and the run of a script.
#pragma once

#include <optional>
#include <string>

#include "app/render/gl/context.h"
#include "app/session/session.h"
#include "app/window/app.h"

namespace perturb {

// Reads the saved settings into `app` and the window's position and size into `window`, unless `fresh`. `size_given`:
// the command line sets the window size, which takes precedence. Throws InputError if `output_folder` is not a folder.
void restore_window(const std::string& output_folder, bool fresh, bool size_given, AppOptions& app,
                    WindowOptions& window);

// The scene to start with if the command line names none: the one of the last session; its lesson is stored in
// app.lesson. None if it is unknown, or no longer exists; app.note then says so.
std::optional<Scene> last_scene(AppOptions& app);

// Start and events of a script that is opened in the window, as the command line would start it with --script. `now`:
// the start for a script that has none. Throws InputError.
ScriptRun read_script_run(const std::string& path, const Scene& now);

}  // namespace perturb
