// What can be done to fibers, and what the mouse means.
#pragma once

#include <vector>

#include "cuda/core/action.h"

namespace perturb {

constexpr int most_fibers = 20000;
// Of a fiber's half-length: shorter ones are no slender bodies, longer ones find no room in a picture.
constexpr double least_half_length = 0.05, most_half_length = 20;

std::vector<ActionKind> fiber_action_kinds();
std::vector<Tool> fiber_tools();

}  // namespace perturb
