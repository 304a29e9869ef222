// The scene browser: thumbnail, title and one line of text for each scene, preset and lesson, with a search field.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_browser(const Panel& panel);

}  // namespace perturb
