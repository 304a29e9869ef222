// Settings of the window, saved between sessions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

// Position and size of a window that does not fill the screen, in screen coordinates.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const WindowPlace&) const = default;
};

struct Settings {
  std::string open;                 // scene or lesson open at the end, as in `recent`; empty: none
  std::vector<std::string> recent;  // keys of the scene browser's entries, most recent first
  std::optional<WindowPlace> place;
  bool fullscreen = false, panels = true, color_bar = true, drawer_open = false;
  std::string tab;       // selected panel tab; empty: the first
  std::string theme;     // name as in ui_state.h; empty: the default
  std::string language;  // as for --language; empty: that of the environment
  double text_scale = 1;
  // The simple view and the scene's units: the defaults of a first start. A file without them is from an older version,
  // whose users know the full view.
  bool simple = true, scene_units = true;
  bool edit_kernels = false, reduced_motion = false;
  double bar_across = 1, bar_down = 1;  // position of the colour bar, as fractions of the available area
  bool plot_dock = false;               // open
  double plot_dock_height = 0;          // design pixels; 0: the default
  std::string output_folder;            // chosen by the user; empty: none
  bool operator==(const Settings&) const = default;
};

// "$XDG_CONFIG_HOME/perturb/settings.json", otherwise in ~/.config; empty if neither is set.
std::string settings_path();

class SettingsFile {
 public:
  // Reads the settings. Missing or invalid values get their defaults. `note` receives a message if the file is damaged
  // or was written by a newer version; a file of a newer version is not overwritten. With an empty path, nothing is
  // saved.
  explicit SettingsFile(std::string path = {}, Message* note = nullptr);

  const Settings& settings() const { return settings_; }
  // Writes the settings that have changed since they were read or written here: other windows write theirs. Keeps what
  // the file has else. Throws Error.
  void keep(const Settings& settings);

 private:
  std::string path_;
  Settings settings_;
};

}  // namespace perturb
