// Actions and tools of the discs, and the actions of mouse gestures.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/object.h"

namespace perturb::particles {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();

// Actions of a gesture over a box of this size. `held`: id of the disc that was grabbed last; -1: none.
std::vector<Action> particles_interpret(const Gesture& gesture, double width, double height, int held);

// The action that puts a flame or ice ("ice") under a gas of this temperature: four times as hot, or as cold.
Action plate_action(const std::string& kind, double x, double gas);

}  // namespace perturb::particles
