// The scenes that a test of all scenes takes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/io/preset/scenes.h"
#include "tests/support/reach.h"

namespace perturb {

// All presets in menu order; at small reach the first of each simulation.
inline std::vector<SceneEntry> tested_scenes() {
  std::vector<SceneEntry> scenes = all_scenes();
  std::set<std::string> seen;
  if (has_small_reach())
    std::erase_if(scenes, [&](const SceneEntry& scene) { return !seen.insert(scene.simulation).second; });
  return scenes;
}

}  // namespace perturb
