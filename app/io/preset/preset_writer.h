// Presets as the program writes them.
#pragma once

#include <string>

#include "app/run/scene.h"

namespace perturb {

// The text of a preset that says what `scene` says. Images are named as its actions name them.
std::string text_of_preset(const Scene& scene);

// Writes it into `folder`, which is made where it is missing, as <name>.toml, and its images beside it. `name` is
// preset_file_stem(scene.title). Returns the file's path. Throws Error.
std::string save_preset(Scene scene, const std::string& folder);

}  // namespace perturb
