// Fills the surroundings of a rectangle with one colour.
#pragma once

#include <cstdint>

#include "cuda/core/paint/picture.h"

namespace perturb {

// Fills the part of the viewport outside a rectangle with a colour (RGBA, red in the lowest byte). The rectangle is in
// framebuffer pixels from the lower left corner of the viewport, and may extend beyond it. Draws over existing content.
void fill_outside(const Viewport& viewport, int left, int bottom, int right, int top, std::uint32_t color);

}  // namespace perturb
