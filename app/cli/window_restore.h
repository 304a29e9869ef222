// The window as it was left: what of that a command begins with.
#pragma once

#include <optional>
#include <string>

#include "app/render/gl/context.h"
#include "app/window/app.h"

namespace perturb {

// Reads the kept settings into `app`, and the window's place into `window`, unless `fresh`. `size_given`: the command
// line says how large the window is to be, which counts more.
// Throws InputError for an `output_folder` that is none.
void restore_window(const std::string& output_folder, bool fresh, bool size_given, AppOptions& app,
                    WindowOptions& window);

// The scene to begin with where the command line names none, and in app.lesson the lesson: what was open when the
// window was left. None where that is not known, or no longer there, which app.note then says.
std::optional<Scene> last_scene(AppOptions& app);

}  // namespace perturb
