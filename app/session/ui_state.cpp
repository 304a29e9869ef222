#include "app/session/ui_state.h"

#include <algorithm>

#include "app/io/preset/scenes.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr ThemeName known_themes[] = {{Theme::dark, "dark", "Dark"},
                                      {Theme::light, "light", "Light"},
                                      {Theme::high_contrast, "high-contrast", "Contrast"}};

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

namespace {
constexpr std::size_t most_recent = 12;  // entries kept
}  // namespace

void toggle_browser(UiState& state) {
  if (state.overlay == Overlay::browser) {
    state.overlay = Overlay::none;
    return;
  }
  Browsing& browsing = state.browsing;
  browsing.listing = find_browser_entries(user_presets_folder());
  browsing.search[0] = '\0';
  browsing.chosen = 0;
  browsing.just_opened = true;
  state.overlay = Overlay::browser;
}

void add_recent(Browsing& browsing, const std::string& key) {
  std::vector<std::string>& recent = browsing.recent;
  std::erase(recent, key);
  recent.insert(recent.begin(), key);
  if (recent.size() > most_recent) recent.resize(most_recent);
}

bool InterfaceCommands::handle(UiCommand command) {
  switch (command) {
    case UiCommand::browse:
      toggle_browser(state_);
      return true;
    case UiCommand::measure:
      show_measuring();
      return true;
    case UiCommand::export_files:
      toggle(Overlay::export_files);
      return true;
    case UiCommand::toggle_panels:
      toggle_panels();
      return true;
    case UiCommand::toggle_color_bar: {
      bool& bar = state_.panels ? state_.color_bar : state_.color_bar_without_panels;
      bar = !bar;
      return true;
    }
    case UiCommand::presentation:
      toggle_presentation();
      return true;
    case UiCommand::fullscreen:
      window_requests_.toggle_fullscreen = true;
      return true;
    case UiCommand::help:
      toggle(Overlay::help);
      return true;
    case UiCommand::about_scene: {
      const bool open = state_.overlay == Overlay::help && state_.help_page == scene_help_page;
      state_.overlay = open ? Overlay::none : Overlay::help;
      state_.help_page = scene_help_page;
      return true;
    }
    case UiCommand::lessons:
      state_.overlay = Overlay::help;
      state_.help_page = lessons_help_page;
      return true;
    case UiCommand::larger_text:
      state_.text_scale = std::min(most_text_scale, state_.text_scale * 1.1);
      return true;
    case UiCommand::smaller_text:
      state_.text_scale = std::max(least_text_scale, state_.text_scale / 1.1);
      return true;
    case UiCommand::focus_panel:
      state_.focus_panel = state_.keys_in_panel = true;
      if (!state_.panels) toggle_panels();
      state_.crosshair.reset();
      return true;
    case UiCommand::close_overlay:
      close_topmost();
      return true;
    case UiCommand::quit:
      window_requests_.quit = true;
      return true;
    default:
      return false;
  }
}

void InterfaceCommands::show_measuring() {
  state_.panels = true;
  state_.tab = Tab::plots;
  if (state_.list_open) state_.close_lists = true;
  state_.drawer_open = true;
}

void InterfaceCommands::toggle_panels() {
  state_.panels = !state_.panels;
  state_.color_bar_without_panels = state_.presentation = false;
}

void InterfaceCommands::toggle_presentation() {
  state_.presentation = !state_.presentation;
  state_.panels = !state_.presentation;
  state_.color_bar_without_panels = state_.presentation;
  state_.hint = false;
}

// An open list covers everything; ImGui closes it too if it has the focus.
void InterfaceCommands::close_topmost() {
  state_.keys_in_panel = false;
  if (state_.list_open)
    state_.close_lists = true;
  else if (state_.film)
    window_requests_.end_film = true;
  else if (state_.placing)
    state_.placing.reset();
  else if (state_.overlay != Overlay::none)
    state_.overlay = Overlay::none;
  else if (state_.instrument != 0)
    state_.instrument = 0;
  else if (state_.message_is_error)
    state_.message = {}, state_.message_is_error = false;
  else if (state_.drawer_open)
    state_.drawer_open = false;
  else if (!state_.detached_plots.empty())
    state_.detached_plots.pop_back();
  else if (state_.crosshair)
    state_.crosshair.reset();
  else if (state_.presentation)
    toggle_presentation();
  else
    state_.hint = false;
}

}  // namespace perturb
