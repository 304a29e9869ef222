// Edits of walls in host memory. One byte a cell, row-major, 0 is fluid.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cuda/core/simulation/action.h"

namespace perturb::lbm {

// Makes a wall of every cell where the image, stretched over width x height cells and averaged over the cell, is
// darker than `threshold` (brighter, with `invert`).
void walls_from_image(const GreyImage& image, double threshold, bool invert, int width, int height,
                      std::vector<std::uint8_t>& wall);

// Darkness of the image over each cell (brightness, with `invert`), stretched in the same way: from 0 to `most`.
std::vector<float> shades_from_image(const GreyImage& image, double most, bool invert, int width, int height);

using Cell = std::pair<int, int>;  // column, row

// The cells of the connected wall at cell (i, j); empty if there is fluid.
std::vector<Cell> body_at(const std::vector<std::uint8_t>& wall, int width, int height, int i, int j);

// Moves the connected wall at cell (i, j) by whole cells and returns its new cells. Returns an empty list if there is
// none or it would leave the domain; `wall` is then not valid.
std::vector<Cell> lbm_move_body(std::vector<std::uint8_t>& wall, int width, int height, int i, int j, int by_i,
                                int by_j);

}  // namespace perturb::lbm
