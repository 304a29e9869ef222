// The caption below a view: describes it in a presentation, where the panels are hidden.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// At the bottom of the view, next to the colour bar.
void draw_caption(const Panel& panel);

}  // namespace perturb
