// A picture in main memory, and the part of a buffer that shows one.
#pragma once

#include <cstdint>
#include <vector>

namespace perturb {

// RGBA8 (red in the lowest byte), row 0 at the bottom (as the GPU has it).
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;
};

// The part of the framebuffer that shows the picture, as glViewport takes it: pixels from the lower left corner.
struct Viewport {
  int x = 0, y = 0;
  int width = 1, height = 1;
  bool operator==(const Viewport&) const = default;
};

}  // namespace perturb
