// Positions in cells of a grid, from actions; and grids whose sides repeat.
#pragma once

#include "cuda/core/math/copies.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

// A position or length on an axis of `count` cells, rounded to a multiple of a power of two: within two domains a float
// holds all its digits, also after a shift by whole cells (core/math/geometry.h).
float exact_cells(double cells, int count);
// The cell that contains a position. A position that rounding has moved just below a cell counts as in it.
int cell_at(double cells);

// A grid, and along which of its axes the sides repeat.
struct RepeatingGrid {
  int width, height;  // cells
  bool along_x, along_y;

  // The cell that a cell beyond a repeating side is.
  int column(int i) const { return along_x ? (i % width + width) % width : i; }
  int row(int j) const { return along_y ? (j % height + height) % height : j; }
  // The copies that reach the grid, of what lies between these coordinates (cells).
  Copies copies_of(float left, float right, float low, float high) const;
};

// An action's positions in cells of a grid of this size.
class ExactCells {
 public:
  ExactCells(const Action& action, int width, int height) : action_(action), width_(width), height_(height) {}
  float x(const char* id = "x") const { return exact_cells(action_.get(id) * width_, width_); }
  float y(const char* id = "y") const { return exact_cells(action_.get(id) * height_, height_); }

 private:
  const Action& action_;
  int width_, height_;
};

}  // namespace perturb
