// The current scene and the choice of another, in the panel and in the scene browser.
#pragma once

#include <cstddef>

#include "app/ui/panels/panel.h"

namespace perturb {

struct SceneBrowserState {
  int opened = 0;  // of Browsing, to which the rest belongs
  char search[96] = "";
  std::size_t chosen = 0;    // index among the entries that match the search, in display order
  bool just_opened = false;  // just opened or searched: scroll to the chosen entry
};

void draw_scene_panel(const Panel& panel);

// The scene browser: thumbnail, title and one line of text for each scene, preset and lesson, with a search field.
void draw_browser(const Panel& panel, SceneBrowserState& browser);

}  // namespace perturb
