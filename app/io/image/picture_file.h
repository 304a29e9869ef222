// Reads colour images from PNG files.
#pragma once

#include <optional>
#include <string>

#include "cuda/core/paint/picture.h"

namespace perturb {

// No value if the file is missing, is not a complete PNG, or has more than `most_side` pixels per side.
std::optional<Picture> load_picture(const std::string& path, int most_side);

}  // namespace perturb
