#include "cuda/lbm/model/placed_body.h"

#include <algorithm>
#include <cmath>

namespace perturb::lbm {

namespace {

// The area within `reach` (cells) of a segment contains the shape, without its copies.
struct Extent {
  CellSegment around;
  float reach;
};
Extent extent_of(const Shape& shape) {
  const CellSegment& line = shape.line;
  switch (shape.kind) {
    case Shape::Kind::segment:
      return {line, shape.radius + 1};
    case Shape::Kind::rectangle: {
      // Turned, it stays within a circle about its centre.
      if (shape.sine == 0.f) return {line, 1};
      const float x = 0.5f * (line.x0 + line.x1), y = 0.5f * (line.y0 + line.y1);
      return {{x, y, x, y}, std::hypot(line.x1 - x, line.y1 - y) + 1};
    }
    case Shape::Kind::ellipse:
      return {{line.x0, line.y0, line.x0, line.y0}, std::max(line.x1, line.y1) + 1};
    case Shape::Kind::airfoil:
      // Nothing of a section is farther from its nose than a chord and its height.
      return {{line.x0, line.y0, line.x0, line.y0}, 2 * line.x1 + 2};
    case Shape::Kind::grains:
      break;
  }
  // A grain reaches at most the next square.
  const auto square = std::max((line.x1 - line.x0) / static_cast<float>(shape.columns),
                               (line.y1 - line.y0) / static_cast<float>(shape.rows));
  return {line, square + 1};
}

// A side of a rectangle at the domain's side, or beyond, continues: the domain's side is not part of its outline. If
// the domain's sides repeat, so does a rectangle that reaches round.
void continue_beyond_sides(float& low, float& high, int count, bool repeats) {
  const auto last = static_cast<float>(count);
  const bool reaches_round = repeats && high - low >= last;
  if (repeats && !reaches_round) return;
  if (reaches_round || low <= 0) low -= Shape::far;
  if (reaches_round || high >= last) high += Shape::far;
}

}  // namespace

Shape repeated(Shape shape, const RepeatingGrid& grid) {
  CellSegment& line = shape.line;
  const bool is_upright = shape.kind == Shape::Kind::rectangle && shape.sine == 0.f;
  if (is_upright) {
    continue_beyond_sides(line.x0, line.x1, grid.width, grid.along_x);
    continue_beyond_sides(line.y0, line.y1, grid.height, grid.along_y);
  }
  // Outlines are used up to two cells away.
  const auto [around, reach] = extent_of(shape);
  const float far = reach + 2;
  shape.copies = grid.copies_of(std::min(around.x0, around.x1) - far, std::max(around.x0, around.x1) + far,
                                std::min(around.y0, around.y1) - far, std::max(around.y0, around.y1) + far);
  // One that reaches round needs no copies.
  Copies& copies = shape.copies;
  if (is_upright && line.x1 - line.x0 >= Shape::far) copies.left = copies.right = 0;
  if (is_upright && line.y1 - line.y0 >= Shape::far) copies.low = copies.high = 0;
  return shape;
}

std::vector<Cell> cells_of(const Shape& shape, int width, int height) {
  const auto [around, reach] = extent_of(shape);
  Box box = box_around(around, reach, width, height);
  if (shape.copies.along_x()) {
    box.i = 0;
    box.size.width = width;
  }
  if (shape.copies.along_y()) {
    box.j = 0;
    box.size.height = height;
  }
  std::vector<Cell> cells;
  for (int j = box.j; j < box.j + box.size.height; ++j)
    for (int i = box.i; i < box.i + box.size.width; ++i)
      if (shape.holds(i, j)) cells.emplace_back(i, j);
  return cells;
}

bool crosses_sides(const Shape& shape, const RepeatingGrid& grid) {
  const auto [width, height, along_x, along_y] = grid;
  if (!along_y)
    for (int i = -1; i <= width; ++i)
      if (shape.holds(i, -1) || shape.holds(i, height)) return true;
  if (!along_x)
    for (int j = -1; j <= height; ++j)
      if (shape.holds(-1, j) || shape.holds(width, j)) return true;
  return false;
}

}  // namespace perturb::lbm
