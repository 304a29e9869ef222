// What can be done to fibers, and what the mouse means.
#pragma once

#include <vector>

#include "cuda/core/action.h"

namespace perturb {

constexpr int most_fibers = 20000;

std::vector<ActionKind> fiber_action_kinds();
std::vector<Tool> fiber_tools();

}  // namespace perturb
