// What the mouse does to the simulation, and how strongly.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_tool_panel(const Panel& panel);

}  // namespace perturb
