// Positions and strokes in the domain: common parts of the actions and gestures of simulations.
#pragma once

#include <limits>
#include <string>

#include "cuda/core/simulation/action.h"

namespace perturb {

// The `initial` of an action's number that has no default.
constexpr double must_be_given = std::numeric_limits<double>::quiet_NaN();

// A horizontal and a vertical position as fractions of the domain; must be given. It may be a little outside the
// domain, for gestures that cross its edge and shapes that extend beyond it.
ValueInfo position_x(const char* id = "x");
ValueInfo position_y(const char* id = "y");
// Whether the current and the previous pointer position are in this range.
bool is_near_domain(const Gesture& gesture);

// Off by default.
ValueInfo flag_value(const char* id, const char* label, const char* help);
// For actions that build walls.
ValueInfo erase_value();

// A stroke from the previous pointer position to the current one: x0, y0, x1 and y1.
Action stroke(const char* kind, const Gesture& gesture);

// An action's positions in cells of a grid of this size.
class CellCoordinates {
 public:
  CellCoordinates(const Action& action, int width, int height) : action_(action), width_(width), height_(height) {}
  float x(const char* id = "x") const { return static_cast<float>(action_.get(id) * width_); }
  float y(const char* id = "y") const { return static_cast<float>(action_.get(id) * height_); }

 private:
  const Action& action_;
  int width_, height_;
};

}  // namespace perturb
