// Encodes images as PNG.
#pragma once

#include <vector>

#include "cuda/core/paint/picture.h"

namespace perturb {

// How much time the encoding may take: a video has thousands of frames.
enum class PngEffort { film, still };

// RGB, 8 bits, top row first. Throws Error without a path: "The picture ... could not be encoded (...)".
std::vector<unsigned char> encode_png(const Picture& picture, PngEffort effort);

}  // namespace perturb
