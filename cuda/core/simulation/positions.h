// Places and strokes on the picture: what the actions and gestures of simulations have in common.
#pragma once

#include <limits>
#include <string>

#include "cuda/core/simulation/action.h"

namespace perturb {

// The `initial` of an action's number that has no default.
constexpr double must_be_given = std::numeric_limits<double>::quiet_NaN();

// A place across and up, as fractions of the domain; must be given. It may lie a little beyond the domain, for gestures
// that run over its edge and shapes that stick out.
ValueInfo position_x(const char* id = "x");
ValueInfo position_y(const char* id = "y");
// Whether the pointer is and was at such places.
bool is_near_domain(const Gesture& gesture);

// Off, unless given.
ValueInfo flag_value(const char* id, const char* label, const char* help);
// Of actions that put up walls.
ValueInfo erase_value();

// A stroke from where the pointer was to where it is: x0, y0, x1 and y1.
Action stroke(const char* kind, const Gesture& gesture);

// An action's places in cells of a grid of this size.
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
