#include "app/pictures/image.h"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include <png.h>

#include "app/files/output.h"
#include "app/files/text_file.h"
#include "app/pictures/png_reader.h"
#include "cuda/core/check.h"

// Formats that people have beside PNG, each with a signature: stb would take many a text file for a TGA, and some of
// its versions read the bytes of a 16-bit PGM in the wrong order. PNG is not stb's: it looks at no checksum.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_NO_STDIO
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
  // Without the filters, which find nothing in colours of a table: files are as large, and come five times as fast.
  image.flags |= PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr))
    throw Error("The picture for \"" + path + "\" could not be made (" + image.message + "): try a smaller one.");
  replace_file(path, std::span(bytes).first(size));
}

namespace {

constexpr int most_pixels = 16384;  // a side, as STBI_MAX_DIMENSIONS above

// Whether a JPEG or BMP lacks its end, which the decoder does not miss.
bool is_cut(const std::string& bytes) {
  if (bytes.starts_with("\xff\xd8")) {
    // The mark of the end comes after the last scan; in a scan's own bytes no mark can stand.
    const std::size_t scan = bytes.rfind("\xff\xda");
    return scan == std::string::npos || bytes.find("\xff\xd9", scan) == std::string::npos;
  }
  if (bytes.starts_with("BM") && bytes.size() >= 6) {
    std::size_t told = 0;
    for (std::size_t k = 0; k < 4; ++k) told |= std::size_t{static_cast<unsigned char>(bytes[2 + k])} << (8 * k);
    return told > bytes.size();
  }
  return false;
}

// By stb. False, and its words in `why`, when it cannot.
bool read_other(const std::string& bytes, GreyImage& image, std::string& why) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  int width = 0, height = 0, channels = 0;
  const auto refuse = [&] {
    const char* words = stbi_failure_reason();
    why = words ? words : "unknown format";
    return false;
  };
  // Asked before anything is allocated: a few bytes may announce an enormous picture.
  if (!stbi_info_from_memory(data, size, &width, &height, &channels)) return refuse();
  // Grey and opacity, 16 bits each; files with 8 bits come scaled by 257, so that nothing is lost.
  const std::unique_ptr<stbi_us, void (*)(void*)> values(
      stbi_load_16_from_memory(data, size, &width, &height, &channels, 2), stbi_image_free);
  if (!values) return refuse();
  image.width = width, image.height = height;
  image.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const std::size_t columns = static_cast<std::size_t>(width);
  for (std::size_t j = 0; j < static_cast<std::size_t>(height); ++j) {
    const stbi_us* from = values.get() + (static_cast<std::size_t>(height) - 1 - j) * columns * 2;
    for (std::size_t i = 0; i < columns; ++i) {
      const float grey = static_cast<float>(from[2 * i]) / 65535.f,
                  opacity = static_cast<float>(from[2 * i + 1]) / 65535.f;
      image.values[j * columns + i] = grey * opacity + (1 - opacity);
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const GreyImage> load_grey_image(const std::string& path) {
  const std::string bytes = read_input_file(path, "image", std::size_t{1} << 30);
  auto image = std::make_shared<GreyImage>();
  std::string why = "it ends too early";
  if (is_png(bytes) ? !read_grey_png(bytes, most_pixels, *image, why)
                    : is_cut(bytes) || !read_other(bytes, *image, why))
    throw InputError("\"" + path + "\" is no image that can be read (" + why +
                     "); PNG, JPEG and BMP can, whole and up to 16384 pixels a side.");
  return image;
}

}  // namespace perturb
