// Which scene this is, and how to get to another.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_scene_panel(const Panel& panel);

}  // namespace perturb
