// The actions and tools of the membrane.
#pragma once

#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/membrane/model/cover.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

const std::vector<ActionKind>& action_kinds();
const std::vector<Tool>& tools();
std::vector<Action> membrane_interpret(const Gesture& gesture, const Parameters& parameters);

// Whether an action changes the cover, and the cover after it. Throws InputError if the change is not possible.
bool changes_cover(const Action& action);
void membrane_change_cover(Cover& cover, const Action& action);

}  // namespace perturb::membrane
