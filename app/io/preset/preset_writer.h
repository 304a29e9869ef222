// Writes presets.
#pragma once

#include <string>

#include "app/run/scene.h"

namespace perturb {

// The text of a preset with the contents of `scene`. Images have the names given by the actions.
std::string text_of_preset(const Scene& scene);

// Saves the preset as <name>.toml in `folder`, which is created if missing, and its images next to it. `name` is
// preset_file_stem(scene.title). Returns the file's path. Throws Error.
std::string save_preset(Scene scene, const std::string& folder);

}  // namespace perturb
