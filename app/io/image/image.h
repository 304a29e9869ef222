// Pictures: PNG out, and grey pictures in for walls and maps.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuda/core/paint/picture.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

// Fully opaque in the file. Through replace_file: a file already there is lost only when the new one is whole. Throws
// Error with the path, what went wrong and what to do.
void save_png(const Picture& picture, const std::string& path);
// PNG, JPEG or BMP, turned to grey in [0, 1] (16 bits a pixel where the file has them), row 0 at the bottom; what is
// transparent counts as white, as on paper. Throws InputError when the file is missing, is no
// picture or has more than 16384 pixels a side. A JPEG stands upright as the camera was held (Exif), and what follows
// its end is left out.
std::shared_ptr<const GreyImage> load_grey_image(const std::string& path);
// The same of a file's bytes; `path` is what errors call it.
GreyImage decode_grey_image(std::string_view bytes, const std::string& path);

}  // namespace perturb
