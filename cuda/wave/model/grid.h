// The tank's grid: number and size of the cells, and periodic directions.
#pragma once

#include <cmath>

#include "cuda/core/loops/range.h"

namespace perturb::wave {

struct Grid {
  int width = 0, height = 0;  // cells
  double cell_size = 1;       // length
  bool periodic_x = false, periodic_y = false;

  Range2D whole() const { return {width, height}; }
  // The cell at a fraction of the domain; a position outside the domain gives a cell outside the grid.
  int column(double x) const { return static_cast<int>(std::floor(x * width)); }
  int row(double y) const { return static_cast<int>(std::floor(y * height)); }
};

}  // namespace perturb::wave
