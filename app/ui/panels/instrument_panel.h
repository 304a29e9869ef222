// The instruments by name: to be put into the picture, read, changed and removed.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_instrument_panel(const Panel& panel);

}  // namespace perturb
