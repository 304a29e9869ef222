// The scenes that can be opened: every preset of every simulation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cuda/core/simulation/setup.h"

namespace perturb {

struct SceneEntry {
  std::string simulation, simulation_title;
  std::string preset, title;
  std::string hint{};
  std::vector<std::string> keywords{};
  // As load_scene takes it: "wave/rain", or the file that it is.
  std::string path() const { return preset.ends_with(".toml") ? preset : simulation + "/" + preset; }
};

// In the order of the menu. Read once, when first asked for.
const std::vector<SceneEntry>& all_scenes();
// The scene before or after the one with this path, going round; from a path that none has, the last or the first.
const SceneEntry* neighbour_scene(const std::string& path, int direction);

// The preset's own values, for "reset to default"; a preset that is no longer at hand counts as one that says nothing.
std::map<std::string, double> preset_parameters(const Setup& setup);
// "wave/rain", or the file that it came from.
std::string scene_path_of(const Setup& setup);
// "wave-double-slit": for file names.
std::string file_stem(const Setup& setup);
// "perturb-wave-double-slit-1200": of files that a run leaves behind at this step.
std::string output_stem_of(const Setup& setup, std::int64_t steps);

}  // namespace perturb
