// What can be done to the tank: the kinds of actions, the mouse's tools, and what a gesture with a tool means.
#pragma once

#include <span>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// The actions of a gesture over a tank of this extent (length units). Stateless: a drag's events can be cut as they
// like, and leave the same trace.
std::vector<Action> wave_interpret(const Gesture& gesture, const Parameters& parameters, double domain_width,
                                   double domain_height);

// The region an action of a wall- or speed- kind covers, in cells of a tank of this shape.
Shape action_shape(const Action& action, int width, int height, double cell_size);
// What the action of a speed- kind, other than speed-image, sets there.
SpeedRamp action_ramp(const Action& action, int width, int height);

// The highest and the lowest multiple of c that the speed map takes. Water that stands still would be a wall.
constexpr double min_wave_factor = 0.05, max_wave_factor = 4;

}  // namespace perturb::wave
