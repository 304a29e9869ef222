// A grey image as a PNG file that keeps all of it.
#pragma once

#include <string>

#include "cuda/core/simulation/action.h"

namespace perturb {

// 16 bits a pixel: what was read from a file of 8 or 16 bits comes back as it was. Through replace_file. Throws Error.
void save_grey_png(const GreyImage& image, const std::string& path);

}  // namespace perturb
