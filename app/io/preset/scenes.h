// All scenes that can be opened: every preset of every simulation, and the user presets.
//
// User presets are files below "$XDG_DATA_HOME/perturb/presets" (otherwise in ~/.local/share), arranged like
// assets/presets: <simulation>/<name>.toml. They may be renamed, copied and deleted like any other file.
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
  std::string kiosk_hint{};
  // In the form that load_scene takes: "wave/rain", or the path of a file.
  std::string path() const { return preset.ends_with(".toml") ? preset : simulation + "/" + preset; }
};

// The presets of all simulations in menu order. Loaded on first use.
const std::vector<SceneEntry>& all_scenes();
// Paths of the scenes that a kiosk shows in turn: of all simulations, or of the one that is named. Those with a hint
// for a kiosk move by themselves and need no panel; a simulation without any shows all of its scenes.
std::vector<std::string> kiosk_scenes(const std::string& simulation);
// The scene before or after the one with this path, cyclically. If no scene has this path: the last or the first one.
const SceneEntry* neighbour_scene(const std::string& path, int direction);

// The preset's parameter values, for "reset to default"; empty if the preset no longer exists.
std::map<std::string, double> preset_parameters(const Setup& setup);
// "wave/rain", or the path of its file.
std::string scene_path_of(const Setup& setup);
// The same with the short name of a user's preset: "wave/my-tank".
std::string scene_name_of(const Setup& setup);
// scene_path_of() of the full scene, for lists of scenes: they do not contain lighter variants.
std::string full_scene_path_of(const Setup& setup);
// The name with which the full scene opens on every machine.
std::string full_scene_name(const Setup& setup);
// "wave-double-slit": for file names.
std::string file_stem(const Setup& setup);
// "perturb-wave-double-slit-1200": for the names of output files at this step.
std::string output_stem_of(const Setup& setup, std::int64_t steps);

// The folder of the user presets; empty if neither XDG_DATA_HOME nor HOME is set.
std::string user_presets_folder();

struct UserPresets {
  std::vector<SceneEntry> presets;  // by simulation, then title; `preset` is the path of the file
  std::vector<Message> problems;    // error messages about files that are not valid presets
};
// Lists the presets again at each call. A missing folder has none.
UserPresets find_user_presets(const std::string& folder);

// "my-tank" for the title "My tank!": a file name without its ending; "preset" if no letter or digit is left.
std::string preset_file_stem(const std::string& title);

}  // namespace perturb
