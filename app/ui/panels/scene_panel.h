// The current scene and the choice of another.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_scene_panel(const Panel& panel);

}  // namespace perturb
