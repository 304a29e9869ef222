// The tools of the mouse and their settings.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_tool_panel(const Panel& panel);

}  // namespace perturb
