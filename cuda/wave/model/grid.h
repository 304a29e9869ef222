// The tank's grid: how many cells it has, how large they are, and where it wraps.
#pragma once

#include <cmath>

#include "cuda/core/loops/range.h"

namespace perturb::wave {

struct Grid {
  int width = 0, height = 0;  // cells
  double cell_size = 1;       // length
  bool periodic_x = false, periodic_y = false;

  Range2D whole() const { return {width, height}; }
  // The cell at a fraction of the domain; a place outside the domain has a cell outside the grid.
  int column(double x) const { return static_cast<int>(std::floor(x * width)); }
  int row(double y) const { return static_cast<int>(std::floor(y * height)); }
};

}  // namespace perturb::wave
