// What can be done to the discs, and what the mouse means.
#pragma once

#include <vector>

#include "cuda/core/simulation/action.h"

namespace perturb::particles {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// The actions of a gesture over a box of this extent; `held`: the number of the disc that was grabbed last, -1: none.
std::vector<Action> particles_interpret(const Gesture& gesture, double width, double height, int held);

}  // namespace perturb::particles
