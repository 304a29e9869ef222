#include "app/files/image.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include <png.h>

#include "app/files/output.h"
#include "cuda/core/check.h"

// The three formats people have, each with a signature: stb would take many a text file for a TGA, and some of its
// versions read the bytes of a 16-bit PGM in the wrong order.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_MAX_DIMENSIONS 16384
#include <stb/stb_image.h>

namespace perturb {

void save_png(const Picture& picture, const std::string& path) {
  const std::size_t width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
  if (picture.width < 1 || picture.height < 1 || picture.pixels.size() != width * height)
    throw Error("The picture for \"" + path + "\" has no pixels to save.");
  // RGB, top row first. Alpha is left out: what lay under a window's pixels is no part of the picture.
  std::vector<unsigned char> rgb(width * height * 3);
  for (std::size_t j = 0; j < height; ++j) {
    const std::uint32_t* from = picture.pixels.data() + (height - 1 - j) * width;
    unsigned char* to = rgb.data() + j * width * 3;
    for (std::size_t i = 0; i < width; ++i)
      for (unsigned channel = 0; channel < 3; ++channel)
        to[3 * i + channel] = static_cast<unsigned char>(from[i] >> (8 * channel));
  }
  // Into memory: libpng removes a file that it cannot write to the end, even when it is a device.
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width), image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr))
    throw Error("The picture for \"" + path + "\" could not be made (" + image.message + "): try a smaller one.");
  replace_file(path, std::span(bytes).first(size));
}

namespace {

std::vector<unsigned char> read_whole(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) throw InputError("\"" + path + "\" is a folder, not an image.");
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    throw InputError("The image \"" + path + "\" cannot be opened (" + std::strerror(errno ? errno : ENOENT) +
                     "); check its name and that it may be read.");
  const std::streamoff size = file.tellg();
  if (size > (std::streamoff{1} << 30))
    throw InputError("\"" + path + "\" is larger than 1 GiB; it is not read as an image.");
  std::vector<unsigned char> bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
  file.seekg(0);
  if (!bytes.empty() && !file.read(reinterpret_cast<char*>(bytes.data()), size))
    throw InputError("The image \"" + path + "\" cannot be read to its end.");
  return bytes;
}

}  // namespace

std::shared_ptr<const GreyImage> load_grey_image(const std::string& path) {
  const std::vector<unsigned char> bytes = read_whole(path);
  const int size = static_cast<int>(bytes.size());
  const auto refuse = [&]() -> InputError {
    const char* words = stbi_failure_reason();
    return InputError("\"" + path + "\" is no image that can be read (" + (words ? words : "unknown format") +
                      "); PNG, JPEG and BMP can, whole and up to 16384 pixels a side.");
  };
  int width = 0, height = 0, channels = 0;
  // Asked before anything is allocated: a few bytes may announce an enormous picture.
  if (!stbi_info_from_memory(bytes.data(), size, &width, &height, &channels)) throw refuse();
  // Grey and opacity, 16 bits each; files with 8 bits come scaled by 257, so that nothing is lost.
  const std::unique_ptr<stbi_us, void (*)(void*)> values(
      stbi_load_16_from_memory(bytes.data(), size, &width, &height, &channels, 2), stbi_image_free);
  if (!values) throw refuse();
  auto image = std::make_shared<GreyImage>();
  image->width = width, image->height = height;
  image->values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::size_t columns = static_cast<std::size_t>(width);
  for (std::size_t j = 0; j < static_cast<std::size_t>(height); ++j) {
    const stbi_us* from = values.get() + (static_cast<std::size_t>(height) - 1 - j) * columns * 2;
    for (std::size_t i = 0; i < columns; ++i) {
      const float grey = static_cast<float>(from[2 * i]) / 65535.f,
                  opacity = static_cast<float>(from[2 * i + 1]) / 65535.f;
      image->values[j * columns + i] = grey * opacity + (1 - opacity);
    }
  }
  return image;
}

}  // namespace perturb
