#include "app/window/window_settings.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "app/i18n/language.h"
#include "app/io/preset/scenes.h"

namespace perturb {

namespace {

// Fixed ids for the tabs, independent of their labels.
constexpr std::pair<const char*, Tab> kept_tabs[] = {
    {"physics", Tab::physics}, {"view", Tab::view}, {"plots", Tab::plots}, {"kernels", Tab::kernels}};

}  // namespace

void apply_settings(const Settings& settings, Session& session, Panels& panels) {
  InterfaceState state = session.interface();
  state.panels = settings.panels;
  state.color_bar = settings.color_bar;
  state.drawer_open = settings.drawer_open;
  state.plots.open = settings.plot_dock;
  if (settings.plot_dock_height > 0)
    state.plots.height = std::clamp(settings.plot_dock_height, PlotDock::min_height, PlotDock::max_height);
  state.preferences.text_scale = std::clamp(settings.text_scale, min_text_scale, max_text_scale);
  state.preferences.simple = settings.simple;
  state.preferences.scene_units = settings.scene_units;
  state.preferences.edit_kernels = settings.edit_kernels;
  state.preferences.reduced_motion = settings.reduced_motion;
  for (const auto& [word, tab] : kept_tabs)
    if (settings.tab == word) state.tab = tab;
  for (const ThemeName& theme : theme_names())
    if (settings.theme == theme.id) state.preferences.theme = theme.theme;
  for (const LanguageName& one : languages())
    if (settings.language == one.id) state.preferences.language = one.id;
  // After the scene that is open now.
  std::vector<std::string>& recent = state.browsing.recent;
  for (const std::string& key : settings.recent)
    if (std::find(recent.begin(), recent.end(), key) == recent.end()) recent.push_back(key);
  session.set_interface(std::move(state));
  panels.place_color_bar(settings.bar_across, settings.bar_down);
  std::error_code ignored;
  if (std::filesystem::is_directory(settings.output_folder, ignored))
    session.output().set_chosen(settings.output_folder);
}

void show_at_start(const AppOptions& options, Session& session, Panels& panels) {
  if (options.show_plots) session.execute(CommandId::measure);
  if (options.show.empty() && !options.microscope && !options.launch) return;
  Preferences preferences = session.interface().preferences;
  preferences.simple = false;  // it has none of them
  session.execute(ChangeInterface{&InterfaceState::preferences, preferences});
  if (options.microscope) session.execute(ChangeInterface{&InterfaceState::microscope, true});
  if (options.launch) session.execute(ChangeInterface{&InterfaceState::launch, true});
  if (options.show.empty()) return;
  session.execute(ShowTab{Tab::kernels});
  if (options.show == "kernels") {
    if (!session.kernel_controller().all_are_measured()) session.execute(MeasureKernels{});
    session.execute(ShowPlot{roofline_plot, true});
  }
  if (options.show == "sizes") {
    session.execute(MeasureSizes{usual_swept_width(*session.run().backend)});
    session.execute(ShowPlot{size_plot, true});
  }
  if (options.show == "editor") panels.open_kernel_editor();
  if (options.show == "puzzles") panels.open_puzzles();
  if ((options.show == "editor" || options.show == "puzzles") && !preferences.edit_kernels)
    session.show_message("Switch on \"Edit kernels\" in the tab View.");
  if (options.show == "frames") session.execute(MeasureFrames{});
}

Settings settings_of(const Session& session, const Panels& panels, const Window& window) {
  const InterfaceState& state = session.interface();
  Settings settings;
  settings.open = session.lesson() ? BrowserEntry::lesson_key(session.lesson()->lesson().path())
                                   : full_scene_path_of(session.run().scene->setup);
  settings.recent = state.browsing.recent;
  const WindowOptions::Place at = window.place();
  settings.place = {at.x, at.y, at.width, at.height};
  settings.fullscreen = window.fullscreen();
  settings.panels = state.panels;
  settings.color_bar = state.color_bar;
  settings.bar_across = panels.states().color_bar.across;
  settings.bar_down = panels.states().color_bar.down;
  settings.drawer_open = state.drawer_open;
  settings.plot_dock = state.plots.open;
  settings.plot_dock_height = state.plots.height;
  settings.text_scale = state.preferences.text_scale;
  settings.simple = state.preferences.simple;
  settings.scene_units = state.preferences.scene_units;
  settings.edit_kernels = state.preferences.edit_kernels;
  settings.reduced_motion = state.preferences.reduced_motion;
  settings.theme = id_of(state.preferences.theme);
  settings.language = state.preferences.language;
  settings.output_folder = session.output().chosen();
  for (const auto& [word, tab] : kept_tabs)
    if (state.tab == tab) settings.tab = word;
  return settings;
}

}  // namespace perturb
