// Decodes PNG with libpng, which verifies all checksums, and encodes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

bool is_png(std::string_view bytes);

// Contents of the header, known before anything is decoded.
struct PngInfo {
  std::uint32_t width = 0, height = 0;
  int bits_of_channel = 8, bits_of_pixel = 8;
  bool interlaced = false;
};
// No value if the header is incomplete.
std::optional<PngInfo> read_png_info(std::string_view bytes);

// Grey in [0, 1] (16 bits per pixel if the file has them), row 0 at the bottom; transparent pixels count as white.
// Returns false and the reason in `why` if the file is incomplete, has a wrong checksum or has more than `max_side`
// pixels per side.
bool read_grey_png(std::string_view bytes, int max_side, GreyImage& image, Message& why);

// In colour, row 0 at the bottom. Returns false if the file is not a complete PNG.
bool read_color_png(std::string_view bytes, Picture& picture);

// How much time the encoding may take: a video has thousands of frames.
enum class PngEffort { film, still };

// RGB, 8 bits, top row first. Throws Error without a path: "The picture ... could not be encoded (...)".
std::vector<unsigned char> encode_png(const Picture& picture, PngEffort effort);

}  // namespace perturb
