// The help page with keys and mouse.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_help(const Panel& panel);

}  // namespace perturb
