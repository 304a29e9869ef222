// What a simulation is made from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/simulation/action.h"

namespace perturb {

// What is only shown of a scene (its title, its view, its pace in the window) is the program's: app/run/scene.h.
struct Setup {
  std::string simulation, preset;  // "wave", "double-slit": its name is saved with the state, and studies tell it
  int width = 0, height = 0;       // cells (or the domain's shape, where there is no grid); 0: the simulation's default
  std::uint32_t seed = 1;
  std::map<std::string, double> parameters;  // by id; what is not named has its default
  std::vector<Action> actions;               // applied in order before the first step
};

}  // namespace perturb
