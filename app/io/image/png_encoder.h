// A picture as the bytes of a PNG file.
#pragma once

#include <vector>

#include "cuda/core/paint/picture.h"

namespace perturb {

// What a picture's encoding may cost: a film has thousands.
enum class PngEffort { film, still };

// RGB, 8 bits, top row first. Throws Error without a path: "The picture ... could not be encoded (...)".
std::vector<unsigned char> encode_png(const Picture& picture, PngEffort effort);

}  // namespace perturb
