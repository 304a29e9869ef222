// The keyboard focus in the panels.
#pragma once

#include "app/ui/widgets/style.h"

namespace perturb {

// Draws a ring around the focused item, also for widgets of our own: Dear ImGui only draws one around its own. Call
// after everything else is drawn.
void draw_focus_ring(const Style& style);
// Whether the focus is visible: the keyboard was used last, not the pointer.
bool focus_is_shown();
void show_focus();

}  // namespace perturb
