// Presets as the program writes them.
#pragma once

#include <string>

#include "cuda/core/setup.h"

namespace perturb {

// The text of a preset that begins as `setup` says. Images are named as its actions name them.
std::string text_of_preset(const Setup& setup);

// Writes it into `folder`, which is made where it is missing, as <name>.toml, and its images beside it. `name` is
// preset_file_stem(setup.title). Returns the file's path. Throws Error.
std::string save_preset(Setup setup, const std::string& folder);

}  // namespace perturb
