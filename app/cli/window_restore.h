// Restores the window of the last session.
#pragma once

#include <optional>
#include <string>

#include "app/render/gl/context.h"
#include "app/window/app.h"

namespace perturb {

// Reads the saved settings into `app` and the window's position and size into `window`, unless `fresh`. `size_given`:
// the command line sets the window size, which takes precedence. Throws InputError if `output_folder` is not a folder.
void restore_window(const std::string& output_folder, bool fresh, bool size_given, AppOptions& app,
                    WindowOptions& window);

// The scene to start with if the command line names none: the one of the last session; its lesson is stored in
// app.lesson. None if it is unknown, or no longer exists; app.note then says so.
std::optional<Scene> last_scene(AppOptions& app);

}  // namespace perturb
