// A picture read back from a PNG file, in colour.
#pragma once

#include <optional>
#include <string>

#include "cuda/core/paint/picture.h"

namespace perturb {

// None where there is no such file, it is no whole PNG, or it has more than `most_side` pixels a side.
std::optional<Picture> load_picture(const std::string& path, int most_side);

}  // namespace perturb
