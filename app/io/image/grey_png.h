// Saves grey images as PNG files without loss.
#pragma once

#include <string>

#include "cuda/core/simulation/action.h"

namespace perturb {

// 16 bits per pixel: an image read from a file with 8 or 16 bits is unchanged when read again. Uses replace_file.
// Throws Error.
void save_grey_png(const GreyImage& image, const std::string& path);

}  // namespace perturb
