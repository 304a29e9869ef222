// What is shown of the state, and in which colours.
#pragma once

#include "app/ui/panels.h"

namespace perturb {

void draw_view_panel(const Panel& panel);

}  // namespace perturb
