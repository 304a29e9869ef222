// What the flow's tests say to it: what a side is (parameters "left", "right", ...), and actions.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "cuda/core/action.h"

namespace perturb {

constexpr double periodic = 0, wall = 1, moving = 2, inlet = 3, outlet = 4;

inline Action action(const char* kind, std::map<std::string, double> numbers = {}) {
  return {kind, std::move(numbers), "", nullptr};
}

}  // namespace perturb
