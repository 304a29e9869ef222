// Images of actions on the cells of a grid, over which they are stretched. Values are in [0, 1]; the image is not empty
// (check_action). Both rules give an image of the grid's own size as it is, and the mean of the pixels where a cell
// holds whole ones; they differ where cells are finer than pixels or cut through them.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/start.h"

namespace perturb {

// The mean over the area of cell (i, j), from bilinear samples that are no farther apart than pixels: a coarse image
// becomes a smooth map.
double image_smoothed(const GreyImage& image, GridSize grid, int i, int j);
// The mean of the pixels that the cell touches: a coarse image keeps its squares.
double image_in_pixels(const GreyImage& image, GridSize grid, int i, int j);

// Closes walls that touch at a corner alone, where a stencil that reaches diagonal neighbours would pass between them:
// the lower of the two open cells becomes wall, until no two walls touch so. `wall`: one byte a cell, row-major, 0 is
// open. `wraps_x`, `wraps_y`: the grid is periodic that way, so that its opposite ends touch. Returns the cells that
// became wall.
std::int64_t close_corners(std::vector<std::uint8_t>& wall, GridSize grid, bool wraps_x, bool wraps_y);

}  // namespace perturb
