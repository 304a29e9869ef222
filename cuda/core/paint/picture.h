// An image in main memory, and the part of a framebuffer that shows one.
#pragma once

#include <cstdint>
#include <vector>

namespace perturb {

// RGBA8 (red in the lowest byte), row 0 at the bottom (as on the GPU).
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
