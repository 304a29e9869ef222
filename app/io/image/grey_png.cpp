#include "app/io/image/grey_png.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <png.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"

namespace perturb {

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
      row[2 * i] = static_cast<png_byte>(value >> 8), row[2 * i + 1] = static_cast<png_byte>(value & 255);
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
  if (!done) throw Error("The image for \"" + path + "\" could not be made: close other programs, and try again.");
  replace_file(path, bytes);
}

}  // namespace perturb
