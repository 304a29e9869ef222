// The current scene and the choice of another, in the panel and in the scene browser.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_scene_panel(const Panel& panel);

// The scene browser: thumbnail, title and one line of text for each scene, preset and lesson, with a search field.
void draw_browser(const Panel& panel, SceneBrowserState& browser);

}  // namespace perturb
