// Properties of a JPEG file that are known before it is decoded.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cuda/core/simulation/action.h"

namespace perturb {

struct JpegInfo {
  std::size_t bytes = 0;  // up to the end-of-image marker; other data may follow, such as a short video of a phone
  int width = 0, height = 0;
  int orientation = 1;     // Exif orientation of the camera, 1 to 8
  bool tables_fit = true;  // no Huffman table has more codes than there are values; decoders have no memory for more
};

bool is_jpeg(std::string_view bytes);
// No value if the file ends before the image does, or has no size.
std::optional<JpegInfo> read_jpeg_info(std::string_view bytes);

// Rotates and mirrors an image stored with this Exif `orientation` into upright position. Row 0 is at the bottom.
GreyImage upright(GreyImage image, int orientation);

}  // namespace perturb
