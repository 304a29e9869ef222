// Images: the pixels that kernels write, colours for blending, and an image in main memory.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/host_device.h"
#include "cuda/core/backend/view.h"

namespace perturb {

// RGBA, one byte each, red in the lowest; row 0 is the bottom of the image, as in OpenGL. The memory must be writable
// by the backend's kernels: a mapped GL buffer, a device buffer or host memory.
using Pixels = View2D<std::uint32_t>;

PERTURB_HD constexpr std::uint32_t rgba(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a = 255) {
  return r | (g << 8) | (b << 16) | (a << 24);
}

// A colour by channel.
struct Color {
  float r, g, b;  // 0..255
};
PERTURB_HD inline Color color_of(std::uint32_t packed) {
  return {static_cast<float>(packed & 255u), static_cast<float>((packed >> 8) & 255u),
          static_cast<float>((packed >> 16) & 255u)};
}
// Rounded and clamped to 0..255; 0 for NaN. (Converted through int, for which CPUs have an instruction.)
PERTURB_HD inline std::uint32_t color_byte(float v) {
  const float not_negative = v > 0.f ? v : 0.f, held = not_negative < 255.f ? not_negative : 255.f;
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

// An image in main memory: RGBA8 (red in the lowest byte), row 0 at the bottom (as on the GPU).
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};

// The part of the framebuffer that shows the image, as for glViewport: pixels from the lower left corner.
struct Viewport {
  int x = 0, y = 0;
  int width = 1, height = 1;
  bool operator==(const Viewport&) const = default;
};

}  // namespace perturb
