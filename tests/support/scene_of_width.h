// Scenes that compute fast.
#pragma once

#include <algorithm>
#include <string>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

// The scene on a square grid of this width.
inline Scene scene_of_width(const std::string& name, int width) {
  Scene scene = load_scene(name);
  scene.setup.width = scene.setup.height = width;
  return scene;
}

// The same with at most so many bodies, which tell as much as thousands.
inline Scene scene_of_width(const std::string& name, int width, double bodies) {
  Scene scene = scene_of_width(name, width);
  for (const Parameter& p : find_simulation(scene.setup.simulation).parameters)
    if (p.id == "count") scene.setup.parameters[p.id] = std::max(p.minimum, bodies);
  return scene;
}

}  // namespace perturb
