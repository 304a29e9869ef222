// How the window was left, kept from run to run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perturb {

// A window's place on the desktop, in screen coordinates, while it does not fill the screen.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const WindowPlace&) const = default;
};

struct Settings {
  std::string open;                 // the scene or lesson that was open, as in `recent`; empty: none
  std::vector<std::string> recent;  // keys of the scene browser's entries, the last one first
  std::optional<WindowPlace> place;
  bool fullscreen = false, panels = true, color_bar = true, drawer_open = false;
  std::string tab;       // of the panels; empty: the first
  std::string theme;     // as theme.h spells it; empty: as at the first start
  std::string language;  // as --language spells it; empty: that of the environment
  double text_scale = 1;
  double bar_across = 1, bar_down = 1;  // where the colour bar stands, as shares of its room
  std::string output_folder;            // the user's choice; empty: none
  bool operator==(const Settings&) const = default;
};

// "$XDG_CONFIG_HOME/perturb/settings.json", else in ~/.config; empty where neither is set.
std::string settings_path();

class SettingsFile {
 public:
  // Begins with what the file says; what it does not say, or says otherwise than this program would, is as at the first
  // start. Of a damaged file, or one that a newer program wrote, `note` says so in a sentence; over the newer one
  // nothing is written. An empty path keeps nothing.
  explicit SettingsFile(std::string path = {}, std::string* note = nullptr);

  const Settings& settings() const { return settings_; }
  // Writes the file where something has changed. Throws Error.
  void keep(const Settings& settings);

 private:
  std::string path_;
  Settings settings_;
};

}  // namespace perturb
