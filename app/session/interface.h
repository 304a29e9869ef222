// State of the interface: what is open and shown, and the user's preferences. Panels read it, and change it by
// commands.
#pragma once

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/browser/browser_entry.h"
#include "cuda/core/backend/loop_blocks.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// Themes of the window. Files and the command line use the ids listed here.
enum class Theme { dark, light, high_contrast };

struct ThemeName {
  Theme theme;
  const char* id;     // "high-contrast"
  const char* label;  // "High contrast"
};
std::span<const ThemeName> theme_names();
const char* id_of(Theme theme);
// Throws InputError with the list of themes.
Theme theme_of(const std::string& id);

inline constexpr double min_text_scale = 0.6, max_text_scale = 3;

struct Preferences {
  Theme theme = Theme::dark;
  std::string language;         // in the spelling of --language; empty: from the environment
  double text_scale = 1;        // relative to the monitor's scale
  bool reduced_motion = false;  // scenes start paused, and nothing is animated
  bool simple = false;          // the panel shows the scene's main controls and readings only
  bool scene_units = false;     // values are displayed in the scene's units instead of the simulation's
  bool edit_kernels = false;    // the user may edit kernels: texts are compiled and run as programs
};

// Chooses the simple view, in the scene's units ("simple"), or the full one ("full"); empty: no change.
Preferences with_panel(Preferences preferences, const std::string& panel);

enum class Tab { lesson, physics, view, plots, kernels };  // the first only while a lesson is open
enum class Overlay { none, help, files, image_use, browser, save_preset, export_files, unread_kernel };
// Meaning of the blocks' colours in the launch overlay: nothing, the multiprocessor or core that ran them, or their
// start.
enum class LaunchColors { none, unit, start };
// Dialogs that ask for an answer: only keys that fields do not use remain commands while one is open.
inline bool is_question(Overlay overlay) {
  return overlay == Overlay::files || overlay == Overlay::image_use || overlay == Overlay::save_preset ||
         overlay == Overlay::unread_kernel;
}
inline constexpr int scene_help_page = 1, lessons_help_page = 2;

// Choices of the export dialog.
struct ExportChoices {
  double film_seconds = 10;  // length of a video
  bool film_as_gif = false;
  bool caption = false;  // saved images get a caption below
};

// Entries of the scene browser.
struct Browsing {
  BrowserEntries listing;
  std::vector<std::string> recent;  // keys of opened entries, most recent first
  int opened = 0;                   // how often the browser has been opened
};

// The dock below the view with the plots that are switched on.
struct PlotDock {
  static constexpr double default_height = 304, min_height = 140, max_height = 4000;
  bool open = false;
  double height = default_height;  // design pixels
  // Plots switched on or off by the user, by id; the others are shown as the list of plots decides.
  std::map<std::string, bool> choices;
  std::map<std::string, std::vector<std::string>> overlays;  // plots drawn over another one, by id
};

// Id of the plot of the kernels' rates.
inline constexpr const char* roofline_plot = "kernels/roofline";
// Id of the plot of their times by size.
inline constexpr const char* size_plot = "kernels/sizes";

struct InterfaceState {
  bool panels = true;
  bool color_bar = true;                  // drawn over the view
  bool color_bar_without_panels = false;  // the same while the panels are hidden
  bool presentation = false;              // only the view, its colour bar and a caption
  bool microscope = false;                // numbers and glyphs of the place under the pointer
  bool launch = false;                    // blocks and threads of the kernel, over the view
  LaunchColors launch_colors = LaunchColors::none;
  LoopBlock launch_block;  // while the launch is shown
  bool kiosk = false;      // kiosk mode: no dialogs or buttons appear, and errors resolve themselves
  bool hint = true;        // the hint over the view, until the first gesture
  Tab tab = Tab::physics;
  Overlay overlay = Overlay::none;
  bool drawer_open = false;  // the column is open over the view because it does not fit next to it
  int help_page = 0;         // page of the help: keys and mouse, this scene, lessons
  Preferences preferences;
  ExportChoices exports;
  Browsing browsing;
  PlotDock plots;

  // Height of the plot dock for make_layout; 0: closed.
  double dock_height() const { return plots.open ? plots.height : 0; }
  // Whether figures of the kernels are on the screen: their tab, or their plot in the dock.
  bool shows_kernels() const {
    if (!panels || preferences.simple) return false;
    const auto plot = plots.choices.find(roofline_plot);
    return tab == Tab::kernels || (plots.open && plot != plots.choices.end() && plot->second);
  }
  bool color_bar_is_shown() const { return panels ? color_bar : color_bar_without_panels; }
};

// Changes the state of the interface.
class Interface {
 public:
  const InterfaceState& state() const { return state_; }
  // For settings of an earlier session, and for the kiosk.
  void set(InterfaceState state) { state_ = std::move(state); }
  template <class T>
  void set(T InterfaceState::*member, const std::type_identity_t<T>& value) {
    state_.*member = value;
  }

  void toggle(Overlay overlay) { state_.overlay = state_.overlay == overlay ? Overlay::none : overlay; }
  void open(Overlay overlay) { state_.overlay = overlay; }
  // Closes the dialog, if it is this one.
  void close(Overlay overlay) {
    if (state_.overlay == overlay) state_.overlay = Overlay::none;
  }
  void toggle_browser();
  // Records that this entry was opened; `key` as in BrowserEntry::key().
  void add_recent(const std::string& key);

  // The tab of the plots opens their dock.
  void show_tab(Tab tab);
  void show_measuring();
  void show_lesson();
  void leave_lesson();
  void show_scene_help();
  void show_help_page(int page) {
    state_.overlay = Overlay::help;
    state_.help_page = page;
  }
  void toggle_panels();
  void show_panels();
  void toggle_presentation();
  void toggle_color_bar();
  void show_hint(bool shown) { state_.hint = shown; }
  void scale_text(double factor);
  void choose(Theme theme) { state_.preferences.theme = theme; }
  // Switches a plot on or off; a plot that is switched on opens the dock.
  void show_plot(const std::string& id, bool shown);
  // Shows plots again that the user switched off: a new scene opens with its own plot.
  void forget_hidden_plots();
  void overlay_plots(const std::string& id, std::vector<std::string> over);
  void toggle_plot_dock();
  // `height`: design pixels.
  void resize_plot_dock(double height);

  // These close what is open, and return whether it was open.
  bool close_overlay();
  bool close_drawer();
  bool end_presentation();

 private:
  InterfaceState state_;
};

}  // namespace perturb
