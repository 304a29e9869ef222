// A step that takes long: how far it is, and a way to give it up.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// Over the foot of the picture, once the run has been at it for longer than a moment.
void draw_slow_step(const Panel& panel);

}  // namespace perturb
