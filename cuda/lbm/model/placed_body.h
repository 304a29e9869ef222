// Bodies that are objects: walls made by one action each, which can be moved, resized and turned as a whole.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/lbm/model/edit.h"
#include "cuda/lbm/model/walls.h"

namespace perturb::lbm {

// Largest number of bodies that are objects. Each change of one draws them all again. Further ones are ordinary walls.
constexpr std::size_t max_placed_bodies = 64;

struct PlacedBody {
  int id = 0;
  Action action;             // that would place it as it is now
  Shape shape;               // of this action, in cells; without copies
  double surface_speed = 0;  // of a disc that turns, counterclockwise; cell/step
};

// The shape as it is drawn: with its copies round sides that repeat.
Shape repeated(Shape shape, const RepeatingGrid& grid);

// The cells of the domain that a shape contains, row by row.
std::vector<Cell> cells_of(const Shape& shape, int width, int height);
// Whether a shape contains cells next to the domain, beyond sides that do not repeat.
bool crosses_sides(const Shape& shape, const RepeatingGrid& grid);

}  // namespace perturb::lbm
