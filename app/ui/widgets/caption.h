// What a picture shows, in a line below it: for a presentation, where the panels that say so are hidden.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// At the foot of the picture, beside the colour bar.
void draw_caption(const Panel& panel);

}  // namespace perturb
