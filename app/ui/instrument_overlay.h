// The instruments in the picture: lines, handles, and what they read.
#pragma once

#include "app/ui/panels.h"

namespace perturb {

void draw_instruments(const Panel& panel);

}  // namespace perturb
