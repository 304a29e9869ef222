#include "app/io/image/png_codec.h"

#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <png.h>
#include <zlib.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// State shared by the library's callbacks. libpng reports errors by longjmp, so no object with a destructor may be
// created after setjmp.
struct Source {
  std::string_view left;
  bool too_short = false;
};

void give_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->left.size()) {
    source->too_short = true;
    png_error(png, "");
  }
  std::memcpy(to, source->left.data(), count);
  source->left.remove_prefix(count);
}

// The library's own messages do not help the user.
[[noreturn]] void abort_reading(png_structp png, png_const_charp) { png_longjmp(png, 1); }

class Library {
 public:
  explicit Library(Source& source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, abort_reading, [](png_structp, png_const_charp) {})),
        info(png ? png_create_info_struct(png) : nullptr) {}
  ~Library() { png_destroy_read_struct(&png, &info, nullptr); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  png_structp png;
  png_infop info;
};

template <class Channel>
unsigned channel(const unsigned char* from, std::size_t index) {
  Channel value;
  std::memcpy(&value, from + index * sizeof value, sizeof value);
  return value;
}

// Converts a row of red, green, blue and alpha to grey, with the weights that the other formats use.
template <class Channel>
void to_grey(const unsigned char* row, std::size_t columns, float* values) {
  constexpr unsigned scale = sizeof(Channel) == 1 ? 257 : 1;
  for (std::size_t i = 0; i < columns; ++i) {
    const unsigned r = channel<Channel>(row, 4 * i), g = channel<Channel>(row, 4 * i + 1),
                   b = channel<Channel>(row, 4 * i + 2), a = channel<Channel>(row, 4 * i + 3);
    const float grey = static_cast<float>(((r * 77 + g * 150 + b * 29) >> 8) * scale) / 65535.f;
    const float opacity = static_cast<float>(a * scale) / 65535.f;
    values[i] = grey * opacity + (1 - opacity);
  }
}

// Contains every call that may end by longjmp. `rows` is a buffer of the caller.
bool read_all(const Library& library, int max_side, GreyImage& image, std::vector<unsigned char>& rows,
              std::vector<png_bytep>& pointers) {
  const png_structp png = library.png;
  const png_infop info = library.info;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, static_cast<png_uint_32>(max_side), static_cast<png_uint_32>(max_side));
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);
  png_set_expand(png);
  if ((png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
  if (std::endian::native == std::endian::little) png_set_swap(png);
  const bool interlaced = png_set_interlace_handling(png) > 1;
  png_read_update_info(png, info);

  image.width = static_cast<int>(png_get_image_width(png, info));
  image.height = static_cast<int>(png_get_image_height(png, info));
  const std::size_t columns = png_get_image_width(png, info), height = png_get_image_height(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  const bool deep = png_get_bit_depth(png, info) == 16;
  image.values.resize(columns * height);
  rows.resize(stride * (interlaced ? height : 1));
  if (interlaced) {
    pointers.resize(height);
    for (std::size_t j = 0; j < height; ++j) pointers[j] = rows.data() + j * stride;
    png_read_image(png, pointers.data());
  }
  for (std::size_t j = 0; j < height; ++j) {
    const unsigned char* row = rows.data() + (interlaced ? j * stride : 0);
    if (!interlaced) png_read_row(png, rows.data(), nullptr);
    float* const values = image.values.data() + (height - 1 - j) * columns;
    deep ? to_grey<std::uint16_t>(row, columns, values) : to_grey<std::uint8_t>(row, columns, values);
  }
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

std::optional<PngInfo> read_png_info(std::string_view bytes) {
  constexpr std::size_t width_at = 16, depth_at = 24, color_at = 25, interlace_at = 28, header_end = 33;
  if (!is_png(bytes) || bytes.size() < header_end || bytes.substr(12, 4) != "IHDR") return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])); };
  const auto number = [&](std::size_t at) {
    return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
  };
  PngInfo info;
  info.width = number(width_at);
  info.height = number(width_at + 4);
  info.bits_of_channel = static_cast<int>(byte(depth_at));
  const std::uint32_t color = byte(color_at);  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  int channels = 1;
  if (color == 2)
    channels = 3;
  else if (color == 4)
    channels = 2;
  else if (color == 6)
    channels = 4;
  info.bits_of_pixel = channels * info.bits_of_channel;
  info.interlaced = byte(interlace_at) != 0;
  return info;
}

bool read_grey_png(std::string_view bytes, int max_side, GreyImage& image, Message& why) {
  Source source;
  source.left = bytes;
  const Library library(source);
  if (!library.png || !library.info) {
    why = "there is not enough memory";
    return false;
  }
  png_set_read_fn(library.png, &source, give_bytes);
  std::vector<unsigned char> rows;
  std::vector<png_bytep> pointers;
  if (read_all(library, max_side, image, rows, pointers)) return true;
  why = source.too_short ? "it is truncated" : "it is damaged";
  return false;
}

bool read_color_png(std::string_view bytes, Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return false;
  image.format = PNG_FORMAT_RGBA;
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  picture.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  // A negative stride: bottom row first.
  const auto stride = -static_cast<png_int_32>(4 * image.width);
  return png_image_finish_read(&image, nullptr, picture.pixels.data(), stride, nullptr) != 0;
}

namespace {

// libpng calls these functions, and no exception may pass through it: they store the error and leave by longjmp.
struct Sink {
  std::vector<unsigned char>* bytes;
  std::string error;
};

void append(png_structp png, png_bytep data, std::size_t size) {
  auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
  bool fits = true;
  try {
    sink->bytes->insert(sink->bytes->end(), data, data + size);
  } catch (...) {
    fits = false;
  }
  if (!fits) png_error(png, "there is not enough memory");
}
void flush_nothing(png_structp) {}
void store_error(png_structp png, png_const_charp words) {
  try {
    static_cast<Sink*>(png_get_error_ptr(png))->error = words;
  } catch (...) {
  }
  png_longjmp(png, 1);
}
void no_warning(png_structp, png_const_charp) {}

// Converts a row of pixels to red, green, blue. Alpha is dropped: what was behind a window's pixels does not belong to
// the image.
void to_rgb(const std::uint32_t* from, std::size_t width, unsigned char* to) {
  for (std::size_t i = 0; i < width; ++i)
    for (unsigned channel = 0; channel < 3; ++channel)
      to[3 * i + channel] = static_cast<unsigned char>(from[i] >> (8 * channel));
}

// Must not contain objects with destructors: longjmp would skip them.
bool write_rows(png_structp png, png_infop info, const Picture& picture, PngEffort effort, unsigned char* row) {
  if (setjmp(png_jmpbuf(png))) return false;
  const auto width = static_cast<png_uint_32>(picture.width), height = static_cast<png_uint_32>(picture.height);
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (effort == PngEffort::film) {
    // Only differences to the pixel above, and run lengths. Measured on images of waves, flow and discs, this takes a
    // third of the time that libpng's choice per row takes; the file size differs by at most about a third.
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_compression_level(png, 1);
    png_set_compression_strategy(png, Z_RLE);
  }
  png_write_info(png, info);
  for (png_uint_32 j = 0; j < height; ++j) {
    to_rgb(picture.pixels.data() + static_cast<std::size_t>(height - 1 - j) * width, width, row);
    png_write_row(png, row);
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

std::vector<unsigned char> encode_png(const Picture& picture, PngEffort effort) {
  const std::size_t width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
  if (picture.width < 1 || picture.height < 1 || picture.pixels.size() != width * height)
    throw Error("Cannot save the image: it has no pixels.");
  std::vector<unsigned char> bytes, row(3 * width);
  bytes.reserve(width * height / 2);
  Sink sink{&bytes, ""};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, store_error, no_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool done = false;
  if (info) {
    png_set_write_fn(png, &sink, append, flush_nothing);
    done = write_rows(png, info, picture, effort, row.data());
  }
  png_destroy_write_struct(&png, &info);
  if (!done)
    throw Error("Cannot encode the image ({}). Choose a smaller size, or close other programs.",
                sink.error.empty() ? Message("libpng could not start") : Message(sink.error));
  return bytes;
}

}  // namespace perturb
