// Colours for blending: packed like pixels (core/paint/pixels.h), and by channel.
#pragma once

#include <cstdint>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

struct Color {
  float r, g, b;  // 0..255
};
PERTURB_HD inline Color color_of(std::uint32_t packed) {
  return {static_cast<float>(packed & 255u), static_cast<float>((packed >> 8) & 255u),
          static_cast<float>((packed >> 16) & 255u)};
}
// Rounded and clamped to 0..255; 0 for NaN. (Converted through int, for which CPUs have an instruction.)
PERTURB_HD inline std::uint32_t color_byte(float v) {
  const float least = v > 0.f ? v : 0.f, held = least < 255.f ? least : 255.f;
  return static_cast<std::uint32_t>(static_cast<int>(held + 0.5f));
}
PERTURB_HD inline std::uint32_t pack_color(Color c) { return rgba(color_byte(c.r), color_byte(c.g), color_byte(c.b)); }
// From `a` (share 0) to `b` (share 1).
PERTURB_HD inline Color mix_colors(Color a, Color b, float share) {
  return {a.r + share * (b.r - a.r), a.g + share * (b.g - a.g), a.b + share * (b.b - a.b)};
}

PERTURB_HD inline std::uint32_t mix_colors(std::uint32_t below, Color above, float share) {
  return pack_color(mix_colors(color_of(below), above, share));
}

// The colour outside the domain.
PERTURB_HD inline std::uint32_t outside_color() { return rgba(22, 24, 28); }

}  // namespace perturb
