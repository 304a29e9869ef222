// The tools of the mouse and their settings.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The buttons that choose a tool.
void draw_tool_buttons(const Panel& panel);
// The help text of the current tool and its settings.
void draw_tool_settings(const Panel& panel);
// Their height: that of the tool with the longest, so that what is below does not move when another tool is chosen.
float tool_settings_height(const Panel& panel);

}  // namespace perturb
