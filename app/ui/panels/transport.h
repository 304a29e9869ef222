// The bar below the view: play, step, restart, speed and time.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_transport(const Panel& panel);

}  // namespace perturb
