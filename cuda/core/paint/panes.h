// Parts of an image: filled with a colour, copied from another image, or showing how two images differ.
#pragma once

#include <cstdint>

#include "cuda/core/backend/backend.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// The lower left corner is at (x, y). The part must lie within `pixels`.
inline Pixels pane_of(Pixels pixels, const Viewport& area) {
  return {pixels.row(area.y) + area.x, area.width, area.height, pixels.stride};
}

// All are queued like a step.
void fill_pixels(Backend& backend, Pixels pixels, std::uint32_t color);
// The images have the same size and are in the memory of `backend`.
void copy_pixels(Backend& backend, Pixels to, View2D<const std::uint32_t> from);

// Two images of the same view. `numbers`: the same painted with indices (counted_colormap), which mark the pixels that
// have a number; the images then hold these numbers as 24 bits (bits24_colormap). Empty: the images are compared by
// their colours.
struct ComparedImages {
  View2D<const std::uint32_t> first, second, first_numbers, second_numbers;
};
// Where both have a number: the logarithm of the difference, on a scale from 0 (one of 2^24 parts of the range) to 1
// (the whole range); black where they are equal. Elsewhere pixels that differ are marked, and the others dimmed.
void paint_difference(Backend& backend, Pixels pixels, const ComparedImages& images, const ColorScale& scale);

}  // namespace perturb
