// Marks in the view that show what the pointer, or the keyboard crosshair, is about to do.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// The range of the tool: a circle at the pointer.
void draw_brush(const Panel& panel);
// The line of a drag: the direction of a throw, or the straight stroke with Shift.
void draw_drag_line(const Panel& panel);
// The keyboard crosshair at its position.
void draw_crosshair(const Panel& panel);

}  // namespace perturb
