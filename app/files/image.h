// Pictures: PNG out, and grey pictures in for walls and maps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/action.h"

namespace perturb {

// RGBA8 (red in the lowest byte), row 0 at the bottom (as the GPU has it). Fully opaque in the file.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};
// Through replace_file: a file already there is lost only when the new one is whole. Throws Error with the path, what
// went wrong and what to do.
void save_png(const Picture& picture, const std::string& path);
// PNG, JPEG or BMP, turned to grey in [0, 1] (16 bits a pixel where the file has them), row 0 at the bottom; what is
// transparent counts as white, as on paper. Throws InputError when the file is missing, is no
// picture or has more than 16384 pixels a side.
std::shared_ptr<const GreyImage> load_grey_image(const std::string& path);

}  // namespace perturb
