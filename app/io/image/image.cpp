#include "app/io/image/image.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <png.h>

#include "app/io/files/output.h"
#include "app/io/files/text_file.h"
#include "app/io/image/jpeg_info.h"
#include "app/io/image/png_codec.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"

// Formats in common use besides PNG, each with a signature. With more formats, stb would read many text files as TGA,
// and some of its versions swap the bytes of a 16-bit PGM. PNG is read by another library because stb does not verify
// checksums.
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
    throw Error("Cannot save the image \"{}\": it has no pixels.", path);
  // RGB, top row first. Alpha is dropped: what was behind a window's pixels does not belong to the image.
  std::vector<unsigned char> rgb(width * height * 3);
  for (std::size_t j = 0; j < height; ++j) {
    const std::uint32_t* from = picture.pixels.data() + (height - 1 - j) * width;
    unsigned char* to = rgb.data() + j * width * 3;
    for (std::size_t i = 0; i < width; ++i)
      for (unsigned channel = 0; channel < 3; ++channel)
        to[3 * i + channel] = static_cast<unsigned char>(from[i] >> (8 * channel));
  }
  // Encodes into memory, because libpng removes a file that it cannot complete, even a device.
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  // Without filters: they do not help for colours from a table. Files are as large and take a fifth of the time.
  image.flags |= PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<std::byte> bytes(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr))
    throw Error("Cannot create the image for \"{}\" ({}). Choose a smaller size.", path, image.message);
  replace_file(path, std::span(bytes).first(size));
}

namespace {

constexpr int max_pixels = 16384;  // per side, like STBI_MAX_DIMENSIONS above

constexpr const char* ends_early = "it is truncated";
constexpr const char* is_damaged = "it is damaged";

std::uint32_t little_number(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value |= std::uint32_t{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
  return value;
}

bool is_bitmap(std::string_view bytes) { return bytes.starts_with("BM"); }

// Whether a BMP is truncated, which the decoder does not detect.
bool is_cut_bitmap(std::string_view bytes) { return bytes.size() < 6 || little_number(bytes, 2) > bytes.size(); }

// A small file may announce a huge image, so this is checked before memory is allocated. `bytes_of_pixel`: memory per
// pixel during decoding.
bool is_too_large(double pixels, double bytes_of_pixel, Message& why) {
  constexpr double small = 1 << 26;
  const double bytes = pixels * bytes_of_pixel;
  if (bytes <= small || bytes <= static_cast<double>(Backend::make_cpu(1)->free_memory())) return false;
  why = Message("it takes {} of memory, which are not free", format_bytes(static_cast<std::size_t>(bytes)));
  return true;
}

// Decodes with stb. Returns false and the reason in `why` on failure.
bool read_other(std::string_view bytes, GreyImage& image, Message& why) {
  // Upper bound from the densest coding: for a JPEG one bit per block of 8 x 8 pixels, for a BMP one bit per pixel.
  double max_pixels_of_byte = 8;
  if (is_jpeg(bytes)) {
    const std::optional<JpegInfo> info = read_jpeg_info(bytes);
    if (!info) {
      why = ends_early;
      return false;
    }
    if (!info->tables_fit) {
      why = is_damaged;
      return false;
    }
    bytes = bytes.substr(0, info->bytes);
    max_pixels_of_byte = 4 * 8 * 64;  // each component may be subsampled in rows and columns
  } else if (!is_bitmap(bytes)) {
    // stb accepts more JPEG files than is_jpeg, such as one with fill bytes before its first marker.
    why = "unknown format";
    return false;
  } else if (is_cut_bitmap(bytes)) {
    why = ends_early;
    return false;
  }
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  int width = 0, height = 0, channels = 0;
  const auto reject = [&](const char* reason) {
    why = reason;
    return false;
  };
  if (!stbi_info_from_memory(data, size, &width, &height, &channels)) return reject("damaged, or too many pixels");
  const double pixels = static_cast<double>(width) * static_cast<double>(height);
  if (pixels > max_pixels_of_byte * static_cast<double>(bytes.size())) return reject(ends_early);
  constexpr double bytes_of_pixel = 4 + 4 + 2 * 4;  // the result and two copies of the decoder, three channels each
  if (is_too_large(pixels, bytes_of_pixel, why)) return false;
  // Grey and alpha, 16 bits each. 8-bit values are scaled by 257, so nothing is lost.
  const std::unique_ptr<stbi_us, void (*)(void*)> values(
      stbi_load_16_from_memory(data, size, &width, &height, &channels, 2), stbi_image_free);
  if (!values) return reject(is_damaged);
  image.width = width;
  image.height = height;
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
  if (is_jpeg(bytes)) image = upright(std::move(image), read_jpeg_info(bytes).value_or(JpegInfo()).orientation);
  return true;
}

bool read_png(std::string_view bytes, GreyImage& image, Message& why) {
  const std::optional<PngInfo> info = read_png_info(bytes);
  if (!info) {
    why = is_damaged;
    return false;
  }
  if (info->width > max_pixels || info->height > max_pixels) {
    why = Message("it has {} x {} pixels", info->width, info->height);
    return false;
  }
  const double pixels = static_cast<double>(info->width) * static_cast<double>(info->height);
  // Deflate compresses at most 1032 bytes into one.
  constexpr double max_packed = 1032;
  if (pixels * info->bits_of_pixel / 8 > max_packed * static_cast<double>(bytes.size())) {
    why = ends_early;
    return false;
  }
  // An interlaced image is decoded completely as RGBA before the conversion to grey.
  if (is_too_large(pixels, 4 + (info->interlaced ? info->bits_of_channel > 8 ? 8 : 4 : 0), why)) return false;
  return read_grey_png(bytes, max_pixels, image, why);
}

}  // namespace

std::shared_ptr<const GreyImage> load_grey_image(const std::string& path) {
  const std::string bytes = read_input_file(path, "image", std::size_t{1} << 30);
  return std::make_shared<GreyImage>(decode_grey_image(bytes, path));
}

GreyImage decode_grey_image(std::string_view bytes, const std::string& path) {
  GreyImage image;
  Message why;
  if (is_png(bytes) ? !read_png(bytes, image, why) : !read_other(bytes, image, why))
    throw InputError(
        "Cannot read the image \"{}\" ({}). Use a complete PNG, JPEG or BMP file of at most 16384 pixels per side.",
        path, why);
  return image;
}

namespace {
constexpr std::size_t max_picture_bytes = std::size_t{64} << 20;
}  // namespace

std::optional<Picture> load_picture(const std::string& path, int max_side) {
  std::string bytes;
  try {
    bytes = read_input_file(path, "image", max_picture_bytes);
  } catch (const InputError&) {
    return std::nullopt;
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return std::nullopt;
  const auto max_png_side = static_cast<png_uint_32>(max_side);
  if (image.width == 0 || image.height == 0 || image.width > max_png_side || image.height > max_png_side) {
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

namespace {

void append_grey(png_structp png, png_bytep data, png_size_t count) {
  auto& bytes = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* from = reinterpret_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), from, from + count);
}
void flush_no_grey(png_structp) {}

// Contains every call that may end by longjmp. `row` is a buffer of the caller.
bool write_grey(png_structp png, png_infop info, const GreyImage& image, std::vector<png_byte>& row) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 16,
               PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const auto width = static_cast<std::size_t>(image.width);
  for (int j = image.height - 1; j >= 0; --j) {
    const float* values = image.values.data() + static_cast<std::size_t>(j) * width;
    for (std::size_t i = 0; i < width; ++i) {
      const auto value = static_cast<unsigned>(std::lround(65535 * std::clamp(values[i], 0.f, 1.f)));
      row[2 * i] = static_cast<png_byte>(value >> 8);
      row[2 * i + 1] = static_cast<png_byte>(value & 255);
    }
    png_write_row(png, row.data());
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

void save_grey_png(const GreyImage& image, const std::string& path) {
  std::vector<std::byte> bytes;
  std::vector<png_byte> row(2 * static_cast<std::size_t>(std::max(0, image.width)));
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info && image.width > 0 && image.height > 0) {
    png_set_write_fn(png, &bytes, append_grey, flush_no_grey);
    done = write_grey(png, info, image, row);
  }
  png_destroy_write_struct(&png, &info);
  if (!done) throw Error("Cannot create the image for \"{}\". Close other programs and try again.", path);
  replace_file(path, bytes);
}

}  // namespace perturb
