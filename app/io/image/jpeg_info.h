// What a JPEG says of itself before it is decoded.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cuda/core/simulation/action.h"

namespace perturb {

struct JpegInfo {
  std::size_t bytes = 0;  // up to the mark of the picture's end; other data may follow, such as a phone's short film
  int width = 0, height = 0;
  int orientation = 1;     // Exif's: how the camera was held, 1 to 8
  bool tables_fit = true;  // no Huffman table has more codes than values exist; decoders have room for no more
};

bool is_jpeg(std::string_view bytes);
// Nothing where the file ends before the picture does, or has no size.
std::optional<JpegInfo> read_jpeg_info(std::string_view bytes);

// The image, stored as Exif's `orientation` says, upright. Row 0 is at the bottom.
GreyImage upright(GreyImage image, int orientation);

}  // namespace perturb
