#include "cuda/lbm/model/placed_body.h"

#include <algorithm>
#include <cmath>

namespace perturb::lbm {

namespace {

// A box that contains all cells of the shape within the domain.
Box box_of(const Shape& shape, int width, int height) {
  const CellSegment& line = shape.line;
  switch (shape.kind) {
    case Shape::Kind::segment:
      return box_around(line, shape.radius + 1, width, height);
    case Shape::Kind::rectangle: {
      // Turned, it stays within a circle about its centre.
      if (shape.sine == 0.f) return box_around(line, 1, width, height);
      const float x = 0.5f * (line.x0 + line.x1), y = 0.5f * (line.y0 + line.y1);
      return box_around({x, y, x, y}, std::hypot(line.x1 - x, line.y1 - y) + 1, width, height);
    }
    case Shape::Kind::ellipse:
      return box_around({line.x0, line.y0, line.x0, line.y0}, std::max(line.x1, line.y1) + 1, width, height);
    case Shape::Kind::airfoil:
      // Nothing of a section is farther from its nose than a chord and its height.
      return box_around({line.x0, line.y0, line.x0, line.y0}, 2 * line.x1 + 2, width, height);
    case Shape::Kind::grains:
      break;
  }
  return {0, 0, {width, height}};
}

}  // namespace

std::vector<Cell> cells_of(const Shape& shape, int width, int height) {
  const Box box = box_of(shape, width, height);
  std::vector<Cell> cells;
  for (int j = box.j; j < box.j + box.size.height; ++j)
    for (int i = box.i; i < box.i + box.size.width; ++i)
      if (shape.holds(i, j)) cells.emplace_back(i, j);
  return cells;
}

bool crosses_sides(const Shape& shape, int width, int height) {
  for (int i = -1; i <= width; ++i)
    if (shape.holds(i, -1) || shape.holds(i, height)) return true;
  for (int j = 0; j < height; ++j)
    if (shape.holds(-1, j) || shape.holds(width, j)) return true;
  return false;
}

}  // namespace perturb::lbm
