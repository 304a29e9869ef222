// The scene browser: a picture, a title and a line of every scene, preset and lesson, found by typing.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_browser(const Panel& panel);

}  // namespace perturb
