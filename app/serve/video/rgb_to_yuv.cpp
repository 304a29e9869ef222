#include "app/serve/video/rgb_to_yuv.h"

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// Y = 16 + 219/255 (0.2126 R + 0.7152 G + 0.0722 B), Cb = 128 + 224/255 (B - Y') / 1.8556, Cr = 128 + 224/255 (R - Y')
// / 1.5748, in units of 2^-16. The rows of chroma have the sum 0, so that grey is exactly grey; that of luma is
// 219/255.
constexpr int luma_red = 11966, luma_green = 40254, luma_blue = 4064;
constexpr int cb_red = -6596, cb_green = -22189, cb_blue = 28785;
constexpr int cr_red = 28784, cr_green = -26145, cr_blue = -2639;
static_assert(luma_red + luma_green + luma_blue == (219 * 65536 + 127) / 255);
static_assert(cb_red + cb_green + cb_blue == 0 && cr_red + cr_green + cr_blue == 0);

constexpr int red_of(std::uint32_t pixel) { return static_cast<int>(pixel & 255u); }
constexpr int green_of(std::uint32_t pixel) { return static_cast<int>((pixel >> 8) & 255u); }
constexpr int blue_of(std::uint32_t pixel) { return static_cast<int>((pixel >> 16) & 255u); }

void convert_luma(const std::uint32_t* from, std::size_t width, std::uint8_t* __restrict to) {
  constexpr int offset = (16 << 16) + (1 << 15);  // rounds
  for (std::size_t i = 0; i < width; ++i) {
    const std::uint32_t pixel = from[i];
    const int sum = luma_red * red_of(pixel) + luma_green * green_of(pixel) + luma_blue * blue_of(pixel);
    to[i] = static_cast<std::uint8_t>((sum + offset) >> 16);
  }
}

// From two rows, `width` pixels each.
void convert_chroma(const std::uint32_t* above, const std::uint32_t* below, std::size_t width,
                    std::uint8_t* __restrict cb, std::uint8_t* __restrict cr) {
  constexpr int offset = (128 << 18) + (1 << 17);  // sums of four pixels
  for (std::size_t i = 0; i < width / 2; ++i) {
    const std::uint32_t a = above[2 * i], b = above[2 * i + 1], c = below[2 * i], d = below[2 * i + 1];
    const int red = red_of(a) + red_of(b) + red_of(c) + red_of(d);
    const int green = green_of(a) + green_of(b) + green_of(c) + green_of(d);
    const int blue = blue_of(a) + blue_of(b) + blue_of(c) + blue_of(d);
    cb[i] = static_cast<std::uint8_t>((cb_red * red + cb_green * green + cb_blue * blue + offset) >> 18);
    cr[i] = static_cast<std::uint8_t>((cr_red * red + cr_green * green + cr_blue * blue + offset) >> 18);
  }
}

}  // namespace

void convert_to_yuv(std::span<const std::uint32_t> rgba, int width, int height, const YuvPlanes& planes) {
  const std::size_t columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  PERTURB_ASSERT(columns % 2 == 0 && rows % 2 == 0 && rgba.size() == columns * rows);
  for (std::size_t j = 0; j < rows; j += 2) {
    const std::uint32_t* above = rgba.data() + j * columns;
    const std::uint32_t* below = above + columns;
    convert_luma(above, columns, planes.y + j * planes.y_stride);
    convert_luma(below, columns, planes.y + (j + 1) * planes.y_stride);
    convert_chroma(above, below, columns, planes.cb + j / 2 * planes.cb_stride, planes.cr + j / 2 * planes.cr_stride);
  }
}

}  // namespace perturb
