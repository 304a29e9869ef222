// The data that a simulation is created from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/simulation/action.h"

namespace perturb {

// Display settings of a scene (title, view, speed in the window) belong to the program: app/run/scene.h.
struct Setup {
  std::string simulation, preset;  // "wave", "double-slit": the preset's name is saved with the state, and studies
                                   // print it
  int width = 0, height = 0;       // cells (or the domain's shape, if there is no grid); 0: the simulation's default
  std::uint32_t seed = 1;
  std::map<std::string, double> parameters;  // by id; the others have their defaults
  std::vector<Action> actions;               // applied in order before the first step
};

}  // namespace perturb
