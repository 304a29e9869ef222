// The hint over the view: what to try first.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// It disappears with the first gesture, with Esc or its close button, or after a while without input; the panel then
// shows its text. It can be dragged.
void draw_hint(const Panel& panel);
// Its area; empty if it is not shown.
Rect hint_rect(const Panel& panel);

}  // namespace perturb
