// Marks in the picture of what the pointer, or the crosshair that stands for it, is about to do.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// The line of a drag: where what is thrown flies to, or where a stroke with Shift will lie.
void draw_drag_line(const Panel& panel);
// Where the arrow keys have led the tool.
void draw_crosshair(const Panel& panel);

}  // namespace perturb
