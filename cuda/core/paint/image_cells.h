// Sampling of an action's image, stretched over the cells of a grid. Values are in [0, 1]; the image is not empty
// (check_action). Both methods reproduce an image of the grid's size exactly, and average the pixels if a cell contains
// whole ones; they differ if cells are finer than pixels or cut through them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/setup.h"

namespace perturb {

// The mean over the area of cell (i, j), from bilinear samples at most one pixel apart: a coarse image becomes a smooth
// map, also across sides that repeat (`wraps_x`, `wraps_y`).
double image_smoothed(const GreyImage& image, GridSize grid, int i, int j, bool wraps_x, bool wraps_y);
// The mean of the pixels that the cell touches: a coarse image keeps its squares.
double image_in_pixels(const GreyImage& image, GridSize grid, int i, int j);

struct ImageWalls {
  std::vector<std::uint8_t> wall;  // one byte per cell, row-major, 0 is open
  bool loses_details = false;      // specks of wall, or openings, smaller than a cell
};
// Walls where the image is darker than the threshold (`bright`: brighter). A cell is wall where its mean is. In an
// image with more pixels than cells, a line thinner than that stays closed: where dark pixels part the open pixels of
// two neighbouring cells, the darker cell is wall too. Images of the grid's size, and smaller ones, keep every pixel.
ImageWalls walls_of_image(const GreyImage& image, double threshold, bool bright, GridSize grid, bool wraps_x,
                          bool wraps_y);
// States what walls_of_image lost.
Message lost_details_text(const std::string& file, const GreyImage& image, GridSize grid);

// Closes walls that touch only at a corner, where a stencil with diagonal neighbours would pass between them: the lower
// of the two open cells becomes wall, until no such corner is left. `wall`: one byte per cell, row-major, 0 is open.
// `wraps_x`, `wraps_y`: the grid is periodic in this direction, so that its opposite ends touch. Returns the number of
// cells that became wall.
std::int64_t close_corners(std::vector<std::uint8_t>& wall, GridSize grid, bool wraps_x, bool wraps_y);

}  // namespace perturb
