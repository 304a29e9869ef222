// The list of instruments: placing, reading, changing and removing them.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_instrument_panel(const Panel& panel);

}  // namespace perturb
