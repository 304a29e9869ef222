// The instruments in the picture: lines, handles, and what they read.
#pragma once

#include "app/ui/panels/panels.h"

namespace perturb {

void draw_instruments(const Panel& panel);

}  // namespace perturb
