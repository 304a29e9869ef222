#include "app/io/image/png_encoder.h"

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <string>

#include <png.h>
#include <zlib.h>

#include "cuda/core/backend/check.h"

namespace perturb {

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
    throw Error("The picture has no pixels.");
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
    throw Error("The picture could not be encoded (" +
                (sink.error.empty() ? std::string("libpng could not start") : sink.error) +
                "). Choose a smaller one, or close other programs.");
  return bytes;
}

}  // namespace perturb
