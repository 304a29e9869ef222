// All scenes that can be opened: every preset of every simulation.
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
  // In the form that load_scene takes: "wave/rain", or the path of a file.
  std::string path() const { return preset.ends_with(".toml") ? preset : simulation + "/" + preset; }
};

// In menu order. Loaded on first use.
const std::vector<SceneEntry>& all_scenes();
// The scene before or after the one with this path, cyclically. If no scene has this path: the last or the first one.
const SceneEntry* neighbour_scene(const std::string& path, int direction);

// The preset's parameter values, for "reset to default"; empty if the preset no longer exists.
std::map<std::string, double> preset_parameters(const Setup& setup);
// "wave/rain", or the path of its file.
std::string scene_path_of(const Setup& setup);
// "wave-double-slit": for file names.
std::string file_stem(const Setup& setup);
// "perturb-wave-double-slit-1200": for the names of output files at this step.
std::string output_stem_of(const Setup& setup, std::int64_t steps);

}  // namespace perturb
