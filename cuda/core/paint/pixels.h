// The image that kernels write.
#pragma once

#include <cstdint>

#include "cuda/core/backend/view.h"

namespace perturb {

// RGBA, one byte each, red in the lowest; row 0 is the bottom of the image, as in OpenGL. The memory must be writable
// by the backend's kernels: a mapped GL buffer, a device buffer or host memory.
using Pixels = View2D<std::uint32_t>;

PERTURB_HD inline std::uint32_t rgba(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a = 255) {
  return r | (g << 8) | (b << 16) | (a << 24);
}

}  // namespace perturb
