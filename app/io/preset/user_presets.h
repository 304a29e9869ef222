// User presets: files below "$XDG_DATA_HOME/perturb/presets" (otherwise in ~/.local/share), arranged like
// assets/presets: <simulation>/<name>.toml. They may be renamed, copied and deleted like any other file.
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/scenes.h"

namespace perturb {

// Empty if neither variable is set.
std::string user_presets_folder();

struct UserPresets {
  std::vector<SceneEntry> presets;    // by simulation, then title; `preset` is the path of the file
  std::vector<std::string> problems;  // error messages about files that are not valid presets
};
// Lists the presets again at each call. A missing folder has none.
UserPresets find_user_presets(const std::string& folder);

// "my-tank" for the title "My tank!": a file name without its ending; "preset" if no letter or digit is left.
std::string preset_file_stem(const std::string& title);

}  // namespace perturb
