// PNG in, by the library that checks every sum a PNG carries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/core/paint/picture.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

bool is_png(std::string_view bytes);

// What the header says, before anything is decoded.
struct PngInfo {
  std::uint32_t width = 0, height = 0;
  int bits_of_channel = 8, bits_of_pixel = 8;
  bool interlaced = false;
};
// Nothing where there is no whole header.
std::optional<PngInfo> read_png_info(std::string_view bytes);

// Grey in [0, 1] (16 bits a pixel where the file has them), row 0 at the bottom; what is transparent counts as white.
// False, and the reason in `why`, for a file that is not whole, whose checksums do not hold, or that has more
// than `most` pixels a side.
bool read_grey_png(std::string_view bytes, int most, GreyImage& image, std::string& why);

// With its colours, row 0 at the bottom. False where it is no whole PNG.
bool read_color_png(std::string_view bytes, Picture& picture);

}  // namespace perturb
