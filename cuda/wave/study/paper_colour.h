// The paper's two colour mappings of heights from -1 to 1.
#pragma once

#include <cstdint>

#include "cuda/core/backend/field.h"
#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/wave/study/paper.h"

namespace perturb::wave {

PERTURB_HD inline std::uint32_t paper_colour24(float height) {
  if (!(height > -1.f)) return rgba(0, 0, 0);
  if (height >= 1.f) return rgba(255, 255, 255);
  constexpr float step = 2.f / 0xFFFFFF;
  const auto number = static_cast<std::uint32_t>((height + 1.f) / step);
  return rgba(number & 0xFF, number >> 8 & 0xFF, number >> 16 & 0xFF);
}

PERTURB_HD inline std::uint32_t paper_colour_of(float height, PaperColours colours,
                                                const View1D<const std::uint32_t>& table) {
  if (colours == PaperColours::bits24) return paper_colour24(height);
  const int last = static_cast<int>(table.size) - 1;
  const float at = (height + 1.f) / (2.f / static_cast<float>(table.size));
  return table[at > 0.f ? (at < static_cast<float>(last) ? static_cast<int>(at) : last) : 0];
}

}  // namespace perturb::wave
