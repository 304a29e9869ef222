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

void apply_settings(const Settings& settings, Session& session) {
  UiState& state = session.state();
  state.panels = settings.panels;
  state.color_bar = settings.color_bar;
  state.bar_across = settings.bar_across, state.bar_down = settings.bar_down;
  state.drawer_open = settings.drawer_open;
  std::error_code ignored;
  if (std::filesystem::is_directory(settings.output_folder, ignored)) state.output_folder = settings.output_folder;
  state.text_scale = std::clamp(settings.text_scale, least_text_scale, most_text_scale);
  for (const auto& [word, tab] : kept_tabs)
    if (settings.tab == word) state.tab = tab;
  for (const ThemeName& theme : theme_names())
    if (settings.theme == theme.id) state.theme = theme.theme;
  for (const LanguageName& one : languages())
    if (settings.language == one.id) state.language = one.id;
  // After the scene that is open now.
  for (const std::string& key : settings.recent)
    if (std::find(state.browsing.recent.begin(), state.browsing.recent.end(), key) == state.browsing.recent.end())
      state.browsing.recent.push_back(key);
}

Settings settings_of(const Session& session, const Window& window) {
  const UiState& state = session.state();
  Settings settings;
  settings.open = session.lesson() ? BrowserEntry::lesson_key(session.lesson()->lesson().path())
                                   : scene_path_of(session.run().scene->setup);
  settings.recent = state.browsing.recent;
  const WindowOptions::Place at = window.place();
  settings.place = {at.x, at.y, at.width, at.height};
  settings.fullscreen = window.fullscreen();
  settings.panels = state.panels;
  settings.color_bar = state.color_bar;
  settings.bar_across = state.bar_across, settings.bar_down = state.bar_down;
  settings.drawer_open = state.drawer_open;
  settings.text_scale = state.text_scale;
  settings.theme = id_of(state.theme_before_lesson.value_or(state.theme));
  settings.language = state.language;
  settings.output_folder = state.output_folder;
  for (const auto& [word, tab] : kept_tabs)
    if (state.tab == tab) settings.tab = word;
  return settings;
}

}  // namespace perturb
