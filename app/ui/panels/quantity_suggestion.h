// A bubble over the picture: what was just done shows in another quantity than the one on the screen,
// with a button to show that.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_quantity_suggestion(const Panel& panel);

}  // namespace perturb
