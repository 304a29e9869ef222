#include "app/session/interface.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/io/preset/scenes.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr ThemeName known_themes[] = {{Theme::dark, "dark", "Dark"},
                                      {Theme::light, "light", "Light"},
                                      {Theme::high_contrast, "high-contrast", "Contrast"}};
constexpr std::size_t max_recent = 12;  // entries kept

}  // namespace

std::span<const ThemeName> theme_names() { return known_themes; }

const char* id_of(Theme theme) {
  for (const ThemeName& name : known_themes)
    if (name.theme == theme) return name.id;
  throw Error("internal: a theme without a name");
}

Theme theme_of(const std::string& id) {
  std::string list;
  for (const ThemeName& name : known_themes) {
    if (id == name.id) return name.theme;
    list.append(list.empty() ? "" : ", ").append(name.id);
  }
  throw InputError("Unknown theme \"{}\". Choose one of {}.", id, list);
}

Preferences with_panel(Preferences preferences, const std::string& panel) {
  if (panel == "simple") preferences.simple = preferences.scene_units = true;
  if (panel == "full") preferences.simple = false;
  return preferences;
}

void Interface::toggle_browser() {
  if (state_.overlay == Overlay::browser) return close(Overlay::browser);
  state_.browsing.listing = find_browser_entries(user_presets_folder());
  ++state_.browsing.opened;
  state_.overlay = Overlay::browser;
}

void Interface::add_recent(const std::string& key) {
  std::vector<std::string>& recent = state_.browsing.recent;
  std::erase(recent, key);
  recent.insert(recent.begin(), key);
  if (recent.size() > max_recent) recent.resize(max_recent);
}

void Interface::show_tab(Tab tab) {
  state_.tab = tab;
  if (tab == Tab::plots) state_.plots.open = true;
}

void Interface::show_measuring() {
  state_.panels = true;
  show_tab(Tab::plots);
  state_.drawer_open = true;
}

void Interface::show_lesson() {
  state_.tab = Tab::lesson;
  state_.drawer_open = true;
}

void Interface::leave_lesson() {
  if (state_.tab == Tab::lesson) state_.tab = Tab::physics;
}

void Interface::show_scene_help() {
  if (state_.overlay == Overlay::help && state_.help_page == scene_help_page)
    state_.overlay = Overlay::none;
  else
    show_help_page(scene_help_page);
}

void Interface::toggle_panels() {
  state_.panels = !state_.panels;
  state_.color_bar_without_panels = state_.presentation = false;
}

void Interface::show_panels() {
  if (!state_.panels) toggle_panels();
  state_.drawer_open = true;
}

void Interface::toggle_presentation() {
  state_.presentation = !state_.presentation;
  state_.panels = !state_.presentation;
  state_.color_bar_without_panels = state_.presentation;
  state_.hint = false;
}

void Interface::toggle_color_bar() {
  bool& bar = state_.panels ? state_.color_bar : state_.color_bar_without_panels;
  bar = !bar;
}

void Interface::scale_text(double factor) {
  double& scale = state_.preferences.text_scale;
  scale = std::clamp(scale * factor, min_text_scale, max_text_scale);
}

void Interface::show_plot(const std::string& id, bool shown) {
  state_.plots.choices[id] = shown;
  if (shown) state_.plots.open = true;
}

void Interface::forget_hidden_plots() {
  std::erase_if(state_.plots.choices, [](const auto& choice) { return !choice.second; });
}

void Interface::overlay_plots(const std::string& id, std::vector<std::string> over) {
  state_.plots.overlays[id] = std::move(over);
}

void Interface::toggle_plot_dock() {
  // Without panels there is no dock.
  state_.plots.open = !state_.plots.open || !state_.panels;
  if (!state_.panels) toggle_panels();
}

void Interface::resize_plot_dock(double height) {
  if (std::isfinite(height)) state_.plots.height = std::clamp(height, PlotDock::min_height, PlotDock::max_height);
}

bool Interface::close_overlay() { return std::exchange(state_.overlay, Overlay::none) != Overlay::none; }
bool Interface::close_drawer() { return std::exchange(state_.drawer_open, false); }

bool Interface::end_presentation() {
  if (!state_.presentation) return false;
  toggle_presentation();
  return true;
}

}  // namespace perturb
