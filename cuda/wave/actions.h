// The tank's action types and tools, and the conversion of gestures into actions.
#pragma once

#include <span>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/wave/model/edit.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// The actions of a gesture over a tank of this extent (length units). Stateless: the result does not depend on how a
// drag is divided into events.
std::vector<Action> wave_interpret(const Gesture& gesture, const Parameters& parameters, double domain_width,
                                   double domain_height);

// The region of a wall- or speed- action, in cells of this tank.
Shape action_shape(const Action& action, const Grid& grid);
// The speed map that a speed- action other than speed-image sets.
SpeedRamp action_ramp(const Action& action, const Grid& grid);

// Limits of the speed map's factor of c. Water with speed zero would be a wall.
constexpr double min_wave_factor = 0.05, max_wave_factor = 4;

}  // namespace perturb::wave
