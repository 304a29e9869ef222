// Notice of a slow step: its progress, and a button to cancel it.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// At the bottom of the view, once the run has been busy for a while.
void draw_slow_step(const Panel& panel);

}  // namespace perturb
