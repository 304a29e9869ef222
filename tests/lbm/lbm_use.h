// Helpers of the flow's tests: boundary conditions as parameter values, and actions.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/lbm.h"
#include "tests/support/setup_of.h"

namespace perturb::lbm {

constexpr double periodic = 0, wall = 1, moving = 2, inlet = 3, outlet = 4;

inline Action action(const char* kind, std::map<std::string, double> numbers = {}) {
  return {kind, std::move(numbers), "", nullptr};
}

// Creates a flow without a preset; parameters that are not given have their defaults.
inline std::unique_ptr<Simulation> flow_of(Backend& backend, int width, int height,
                                           std::map<std::string, double> parameters, std::vector<Action> actions) {
  return create(backend, setup_of("lbm", width, height, std::move(parameters), std::move(actions)));
}

}  // namespace perturb::lbm
