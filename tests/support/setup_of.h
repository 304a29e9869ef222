// Setups without a preset.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/setup.h"

namespace perturb {

// Parameters that are not given have their defaults; a size of 0 is the simulation's own.
inline Setup setup_of(std::string simulation, int width, int height = 0, std::map<std::string, double> parameters = {},
                      std::vector<Action> actions = {}) {
  Setup setup;
  setup.simulation = std::move(simulation);
  setup.width = width;
  setup.height = height;
  setup.parameters = std::move(parameters);
  setup.actions = std::move(actions);
  return setup;
}

}  // namespace perturb
