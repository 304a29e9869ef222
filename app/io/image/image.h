// Image files: writes PNG, and reads grey images for walls and maps, and colour images from PNG.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

// The image is fully opaque in the file. Uses replace_file: an existing file is replaced only when the new one is
// complete. Throws Error with the path, the reason and a remedy.
void save_png(const Picture& picture, const std::string& path);
// Reads PNG, JPEG or BMP and converts it to grey in [0, 1] (16 bits per pixel if the file has them), row 0 at the
// bottom. Transparent pixels count as white, as on paper. A JPEG is rotated as its Exif orientation says; data after
// its end is ignored. Throws InputError if the file is missing, is not an image or has more than 16384 pixels per side.
std::shared_ptr<const GreyImage> load_grey_image(const std::string& path);
// Decodes the bytes of a file; error messages call it `path`.
GreyImage decode_grey_image(std::string_view bytes, const std::string& path);

// Reads a PNG file in colour. No value if the file is missing, is not a complete PNG, or has more than `max_side`
// pixels per side.
std::optional<Picture> load_picture(const std::string& path, int max_side);

// Saves a grey image as PNG without loss, with 16 bits per pixel: an image read from a file with 8 or 16 bits is
// unchanged when read again. Uses replace_file. Throws Error.
void save_grey_png(const GreyImage& image, const std::string& path);

}  // namespace perturb
