// Where the keyboard is in the panels.
#pragma once

#include "app/ui/widgets/style.h"

namespace perturb {

// A ring around what the arrow keys have reached, whatever it is drawn by: Dear ImGui draws one around its own widgets
// alone. After everything else.
void draw_focus_ring(const Style& style);
// Whether it is to be seen: the keyboard was used last, not the pointer.
bool focus_is_shown();
void show_focus();

}  // namespace perturb
