#include "app/io/image/picture_file.h"

#include <cstddef>

#include <png.h>

#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {
constexpr std::size_t most_picture_bytes = std::size_t{64} << 20;
}  // namespace

std::optional<Picture> load_picture(const std::string& path, int most_side) {
  std::string bytes;
  try {
    bytes = read_input_file(path, "picture", most_picture_bytes);
  } catch (const InputError&) {
    return std::nullopt;
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return std::nullopt;
  const auto most = static_cast<png_uint_32>(most_side);
  if (image.width == 0 || image.height == 0 || image.width > most || image.height > most) {
    png_image_free(&image);
    return std::nullopt;
  }
  image.format = PNG_FORMAT_RGBA;  // red first: in the lowest byte, as in Picture
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.pixels.resize(std::size_t{image.width} * image.height);
  // A negative stride: the top row comes first in the file, and last in a Picture.
  const auto stride = -static_cast<png_int_32>(4 * image.width);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), stride, nullptr)) {
    png_image_free(&image);
    return std::nullopt;
  }
  return picture;
}

}  // namespace perturb
