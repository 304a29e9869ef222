// The microscope: the place under the pointer in numbers, and drawn over the view (Inspectable).
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

// A number box, at the upper edge of the view, away from the pointer; and the glyphs, if the inspected thing
// is large enough on the screen.
void draw_microscope(const Panel& panel);

// Whether the inspected thing is large enough for its glyphs: at least 48 design pixels.
bool glyphs_are_shown(const Panel& panel, const Inspection& inspection);

}  // namespace perturb
