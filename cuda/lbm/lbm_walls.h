// Walls as ordinary memory: what is done to them on the host. One byte a cell, row-major, 0 is fluid.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/action.h"

namespace perturb {

// Makes a wall of every cell where the picture, stretched over width x height cells and averaged over the cell, is
// darker than `threshold` (brighter, with `invert`).
void lbm_walls_from_image(const GreyImage& image, double threshold, bool invert, int width, int height,
                          std::vector<std::uint8_t>& wall);

// Moves the connected wall at cell (i, j) by whole cells. False, and nothing to go by in `wall`, when there is none or
// it would leave the domain.
bool lbm_move_body(std::vector<std::uint8_t>& wall, int width, int height, int i, int j, int by_i, int by_j);

}  // namespace perturb
