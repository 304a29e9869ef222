// Runs small enough to be repeated many times.
#pragma once

#include <string>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "tests/support/backends.h"
#include "tests/support/scene_of_width.h"

namespace perturb {

class SmallRun : public OnEachBackend {
 protected:
  // The wave tank on a small grid, as an example of any simulation.
  Scene small() const { return scene_of_width("wave/droplet", 64); }
  static bool same(const State& a, const State& b) {
    for (const auto& [name, data] : a.datasets)
      if (!(data.bytes == b.datasets.at(name).bytes)) return false;
    return a.steps == b.steps && a.datasets.size() == b.datasets.size();
  }
};

inline Scene small_scene(const std::string& scene) {
  Scene s = load_scene(scene);
  s.setup.width = std::min(s.setup.width, 64);
  s.setup.height = std::min(s.setup.height, 64);
  // A membrane's grid has 4^level patches.
  if (const auto level = s.setup.parameters.find("level"); level != s.setup.parameters.end())
    level->second = std::min(level->second, 3.0);
  return s;
}

}  // namespace perturb
