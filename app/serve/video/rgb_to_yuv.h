// Converts images to the colours of video.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace perturb {

// Memory for one frame in 4:2:0. Rows are `stride` bytes apart, the top one first.
struct YuvPlanes {
  std::uint8_t* y = nullptr;
  std::uint8_t* cb = nullptr;
  std::uint8_t* cr = nullptr;
  std::size_t y_stride = 0, cb_stride = 0, cr_stride = 0;
};

// BT.709, limited range: black has Y 16, white 235, Cb and Cr are half of 256 in both. Each chroma value is that of the
// mean of 2 x 2 pixels, so it is located at their centre. `rgba`: width * height pixels as rgba() packs them, the top
// row first; both sizes even. Alpha is ignored.
void convert_to_yuv(std::span<const std::uint32_t> rgba, int width, int height, const YuvPlanes& planes);

}  // namespace perturb
