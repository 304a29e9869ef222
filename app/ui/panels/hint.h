// What to try first, over the picture.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// It goes with the first gesture, with Esc or its cross, or by itself after a while in which nobody touched it, and is
// then told in the panel. It goes where it is dragged to.
void draw_hint(const Panel& panel);
// Where it stands; empty where it does not.
Rect hint_rect(const Panel& panel);

}  // namespace perturb
