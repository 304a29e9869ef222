// The status line at the bottom of the window: backend, speed, and the value under the pointer.
#pragma once

#include "app/ui/panels/panel.h"

namespace perturb {

void draw_status_bar(const Panel& panel);

}  // namespace perturb
