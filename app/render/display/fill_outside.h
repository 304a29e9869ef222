// One colour around a part of the picture.
#pragma once

#include <cstdint>

#include "cuda/core/paint/picture.h"

namespace perturb {

// Fills what of the viewport lies outside of a box with a colour (RGBA, red lowest). The box in framebuffer pixels from
// the viewport's lower left corner; it may reach beyond it. Over what has been drawn.
void fill_outside(const Viewport& viewport, int left, int bottom, int right, int top, std::uint32_t color);

}  // namespace perturb
