// What lies over the picture: a second quantity, as lines or in its colours.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

// Under a heading of their own; where nothing can lie over what is shown, a sentence says why.
void draw_layer_rows(const Panel& panel);

}  // namespace perturb
