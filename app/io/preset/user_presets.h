// Presets of one's own: files below "$XDG_DATA_HOME/perturb/presets" (else in ~/.local/share), as they lie in
// assets/presets: <simulation>/<name>.toml. Renamed, copied and deleted as files are.
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/scenes.h"

namespace perturb {

// Empty where neither variable is set.
std::string user_presets_folder();

struct UserPresets {
  std::vector<SceneEntry> presets;    // by simulation, then title; `preset` is the file's whole path
  std::vector<std::string> problems;  // of files that are no presets: sentences
};
// Looked through anew each time. A folder that is not there has none.
UserPresets find_user_presets(const std::string& folder);

// "my-tank" for the title "My tank!": a file's name, without its ending; "preset" where no letter or digit is left.
std::string preset_file_stem(const std::string& title);

}  // namespace perturb
